import { type RawBuilder, sql } from 'kysely';

import type { DatabaseSession } from '../engine/engine';
import type { SqlValue } from '../engine/hot-statement';
import type { CsvFile } from './csv-files';
import type { ImportQuestion, ImportSummary } from './import-report';
import { sameRow, stagedColumn, stagedTable } from './staging-tables';

/** Number of devices with the same token from which on it is not one person's telephone. */
const SHARED_BY = 10;

interface Counts {
  readonly rows: SqlValue;
  readonly of: SqlValue;
}

/**
 * Finds what looks wrong in staged files although no row is: a person must say that it is right.
 *
 * @param staged - files without errors
 */
export async function importQuestions(
  session: DatabaseSession,
  staged: readonly CsvFile[],
  summary: ImportSummary,
): Promise<readonly ImportQuestion[]> {
  const questions: ImportQuestion[] = [];
  const ask = async (
    kind: ImportQuestion['kind'],
    { file }: CsvFile,
    statement: RawBuilder<Counts>,
    isWrong: (counts: Pick<ImportQuestion, 'rows' | 'of'>) => boolean = ({ rows }) => rows > 0,
  ): Promise<void> => {
    const [found] = (await statement.execute(session.kysely)).rows;
    // PostgreSQL returns sums as texts.
    const counts = { rows: Number(found?.rows ?? 0), of: Number(found?.of ?? 0) };
    if (isWrong(counts)) questions.push({ kind, file, ...counts });
  };
  for (const file of staged) {
    if (file.table === 'students') {
      await ask('missing', file, missingRows(file), ({ rows, of }) => rows > 0 && rows * 3 >= of);
      await ask('no-letters', file, namesWithoutLetters(session, file));
    }
    if (file.table === 'devices') await ask('shared-token', file, sharedTokens(file));
    if (file.table === 'classes') {
      const lonely = summary.unreferenced.find((each) => each.file === file.file);
      if (lonely !== undefined && lonely.rows > 0)
        questions.push({ kind: 'no-students', file: file.file, rows: lonely.rows, of: lonely.of });
    }
    const columns = file.columns.filter(
      ({ column, kind }) => (column === 'id' && kind.isKey === true) || column === 'show_active',
    );
    for (const { column } of columns) await ask('case', file, alikeButForCase(file, column));
  }
  return questions;
}

/** Counts the stored rows of the staged schools that the file lacks. */
function missingRows(file: CsvFile): RawBuilder<Counts> {
  const stored = sql`from ${sql.table(file.table)} as t join schools as sc on sc.id = t.school_id
    where sc.base_url in (select school_url from ${sql.table(stagedTable(file))})`;
  return sql<Counts>`select (select count(*) ${stored} and not exists (${sameRow(file)})) as rows,
    (select count(*) ${stored}) as of`;
}

function namesWithoutLetters({ engine }: DatabaseSession, file: CsvFile): RawBuilder<Counts> {
  const isNumber =
    engine === 'sqlite'
      ? sql`full_name <> '' and full_name not glob '*[^0-9 .,/+-]*'`
      : sql`full_name ~ '^[0-9 .,/+-]+$'`;
  return sql<Counts>`select coalesce(sum(case when ${isNumber} then 1 else 0 end), 0) as rows, count(*) as of
    from ${sql.table(stagedTable(file))}`;
}

/** Counts the tokens that many devices share, and these devices. */
function sharedTokens(file: CsvFile): RawBuilder<Counts> {
  return sql<Counts>`select count(*) as rows, coalesce(sum(devices), 0) as of from (
    select count(*) as devices from ${sql.table(stagedTable(file))} where token <> ''
    group by token having count(*) >= ${sql.lit(SHARED_BY)}) as shared`;
}

/** Counts values that equal another value except for the case of ASCII letters. */
function alikeButForCase(file: CsvFile, column: string): RawBuilder<Counts> {
  const value = sql.ref(stagedColumn(column));
  // Flags of all schools are compared, ids those of one school.
  const inSchool = column === 'id' && file.key.includes('school_id') ? sql`school_url, ` : sql``;
  return sql<Counts>`select coalesce(sum(spellings), 0) as rows, coalesce(sum(all_rows), 0) as of from (
    select count(distinct ${value}) as spellings, count(*) as all_rows from ${sql.table(stagedTable(file))}
    group by ${inSchool} lower(${value}) having count(distinct ${value}) > 1) as alike`;
}
