import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { SqlValue } from '../engine/hot-statement';
import type { Database } from '../engine/schema';
import { CSV_FILES, type CsvFile } from './csv-files';
import type { ImportSummary, Unreferenced, ValueCounts } from './import-report';
import { sameRow, stagedColumn, stagedTable } from './staging-tables';

/** Columns with few values, by file. */
const COUNTED: Readonly<Record<string, string>> = { 'students.csv': 'ShowActive', 'devices.csv': 'platform' };
/** Files whose rows should be referenced, each with the file that refers to them. */
const REFERENCED: Readonly<Record<string, string>> = {
  'classes.csv': 'students.csv',
  'students.csv': 'devices.csv',
};
/** Maximum number of values counted individually for a column. */
const MAX_VALUES = 10;

/**
 * Counts what a person would check in staged files. Bad cells are not counted.
 *
 * @param isWholeTruth - stored rows of a staged file that the file lacks will be removed
 */
export async function summarizeStaged(
  kysely: Kysely<Database>,
  staged: readonly CsvFile[],
  isWholeTruth: boolean,
): Promise<ImportSummary> {
  const values: ValueCounts[] = [];
  const unreferenced: Unreferenced[] = [];
  for (const file of staged) {
    const counted = file.columns.find(({ header }) => header === COUNTED[file.file]);
    if (counted !== undefined) {
      const counts = await valueCounts(kysely, file, stagedColumn(counted.column));
      values.push({ file: file.file, header: counted.header, ...counts });
    }
    const child = CSV_FILES.find((each) => each.file === REFERENCED[file.file]);
    if (child !== undefined) {
      const counts = await unreferencedRows(kysely, file, child, staged.includes(child), isWholeTruth);
      unreferenced.push({ file: file.file, by: child.file, ...counts });
    }
  }
  return { values, unreferenced };
}

async function valueCounts(
  kysely: Kysely<Database>,
  file: CsvFile,
  column: string,
): Promise<Pick<ValueCounts, 'counts' | 'others'>> {
  const { rows } = await sql<{ value: string; rows: number; all_rows: SqlValue }>`
    select value, rows, sum(rows) over () as all_rows from (
      select ${sql.ref(column)} as value, count(*) as rows from ${sql.table(stagedTable(file))}
      where ${sql.ref(column)} is not null group by ${sql.ref(column)}
    ) as counted order by rows desc, value limit ${sql.lit(MAX_VALUES)}`.execute(kysely);
  const counts = rows.map(({ value, rows: count }) => ({ value, rows: count }));
  const listed = counts.reduce((sum, count) => sum + count.rows, 0);
  return { counts, others: Number(rows[0]?.all_rows ?? 0) - listed };
}

/**
 * Counts the staged rows of a file to which no row of another refers, in the file or else in the database.
 */
async function unreferencedRows(
  kysely: Kysely<Database>,
  parent: CsvFile,
  child: CsvFile,
  isChildStaged: boolean,
  isWholeTruth: boolean,
): Promise<Pick<Unreferenced, 'rows' | 'of'>> {
  const columns = child.references.find(({ file }) => file === parent.file)?.columns ?? {};
  const [own = '', other = ''] = Object.entries(columns).find(([column]) => column !== 'school_id') ?? [];
  const parents = sql`select school_url, ${sql.ref(other)} from ${sql.table(stagedTable(parent))}
    where school_url is not null and ${sql.ref(other)} is not null`;
  const references: RawBuilder<unknown>[] = [];
  if (isChildStaged) {
    references.push(sql`select school_url, ${sql.ref(own)} from ${sql.table(stagedTable(child))}`);
  }
  if (!isChildStaged || !isWholeTruth) {
    references.push(sql`select sc.base_url, ${sql.ref(`t.${own}`)} from ${sql.table(child.table)} as t
      join schools as sc on sc.id = t.school_id
      where sc.base_url in (select school_url from ${sql.table(stagedTable(parent))})
      ${isChildStaged ? sql`and not exists (${sameRow(child)})` : sql``}`);
  }
  const { rows } = await sql<{ lonely: number; there: number }>`select
    (select count(*) from (
      ${parents} except select * from (${sql.join(references, sql` union all `)}) as named
    ) as lonely) as lonely,
    (select count(*) from (${parents}) as there) as there`.execute(kysely);
  return { rows: rows[0]?.lonely ?? 0, of: rows[0]?.there ?? 0 };
}
