import { type Kysely, sql } from 'kysely';

import type { Database, SqlValue } from '../engine';
import type { CsvFile } from './csv-files';

/** Rows that are in memory at once. */
const PAGE_ROWS = 5000;

type Row = Readonly<Record<string, SqlValue>>;

/**
 * The rows of a table by its key, page by page, each with the school's URL in place of its number. Pages
 * begin after the last key of the one before, which an index finds at once; neither engine would read on
 * from an offset without counting up to it.
 */
export async function* pagesOf(kysely: Kysely<Database>, file: CsvFile): AsyncGenerator<readonly Row[]> {
  const [first, ...rest] = file.key;
  if (first !== 'school_id') {
    yield* pages(kysely, file, file.key, undefined);
    return;
  }
  // By URL, not by number: two databases with the same data give the same file.
  let after = '';
  for (;;) {
    const schools = await kysely
      .selectFrom('schools')
      .select(['id', 'base_url'])
      .where('base_url', '>', after)
      .orderBy('base_url')
      .limit(PAGE_ROWS)
      .execute();
    for (const { id } of schools) yield* pages(kysely, file, rest, id);
    const last = schools.at(-1);
    if (last === undefined) return;
    after = last.base_url;
  }
}

async function* pages(
  kysely: Kysely<Database>,
  file: CsvFile,
  key: readonly string[],
  school: number | undefined,
): AsyncGenerator<readonly Row[]> {
  const columns = file.columns.map(({ column }) =>
    column === 'school_id' ? sql`sc.base_url as school_id` : sql.ref(`t.${column}`),
  );
  const inSchool = file.columns.some(({ column }) => column === 'school_id');
  const keys = sql.join(key.map((column) => sql.ref(`t.${column}`)));
  let after: readonly SqlValue[] | undefined;
  do {
    const { rows }: { rows: readonly Row[] } = await sql<Row>`
      select ${sql.join(columns)} from ${sql.table(file.table)} as t
      ${inSchool ? sql`join schools as sc on sc.id = t.school_id` : sql``}
      where ${school === undefined ? sql`true` : sql`t.school_id = ${school}`}
      and ${after === undefined ? sql`true` : sql`(${keys}) > (${sql.join(after)})`}
      order by ${keys} limit ${sql.lit(PAGE_ROWS)}`.execute(kysely);
    if (rows.length > 0) yield rows;
    const last = rows.length < PAGE_ROWS ? undefined : rows.at(-1);
    after = last && key.map((column) => last[column] ?? null);
  } while (after !== undefined);
}
