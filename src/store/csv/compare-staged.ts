import { type Kysely, sql } from 'kysely';

import type { CsvFile } from './csv-files';
import type { Database } from '../engine/schema';
import { changedTable, stagedColumn, stagedTable } from './staging-tables';

export interface Comparison {
  readonly newRows: number;
  readonly changedRows: number;
}

/** Gathers the staged rows that are new or differ from what is stored, in the order in which to write them. */
export async function compareStaged(kysely: Kysely<Database>, file: CsvFile): Promise<Comparison> {
  const changed = sql.table(changedTable(file));
  const inSchool = file.columns.some(({ column }) => column === 'school_id');
  const columns = file.columns.map(({ column }) => column);
  const staged = (column: string) =>
    column === 'school_id' ? sql`sc.id` : sql.ref(`s.${stagedColumn(column)}`);

  const selected = columns.map((column) => sql`${staged(column)} as ${sql.ref(column)}`);
  const sameKey = file.key.map((column) => sql`${sql.ref(`t.${column}`)} = ${staged(column)}`);
  const [anyKey = ''] = file.key;
  const isNew = sql`${sql.ref(`t.${anyKey}`)} is null`;
  const differs = columns
    .filter((column) => !file.key.includes(column))
    .map((column) => sql`${sql.ref(`t.${column}`)} is distinct from ${staged(column)}`);

  await sql`create temporary table ${changed} as
    select ${sql.join(selected)}, case when ${isNew} then 1 else 0 end as is_new
    from ${sql.table(stagedTable(file))} as s
    ${inSchool ? sql`left join schools as sc on sc.base_url = s.school_url` : sql``}
    left join ${sql.table(file.table)} as t on ${sql.join(sameKey, sql` and `)}
    where ${sql.join([isNew, ...differs], sql` or `)}
    order by ${sql.join((file.writtenBy ?? file.key).map(staged))}`.execute(kysely);

  const { rows } = await sql<{ all_rows: number; new_rows: number }>`
    select count(*) as all_rows, coalesce(sum(is_new), 0) as new_rows from ${changed}`.execute(kysely);
  const { all_rows = 0, new_rows = 0 } = rows[0] ?? {};
  return { newRows: new_rows, changedRows: all_rows - new_rows };
}
