import { join } from 'node:path';

import { type Kysely, type RawBuilder, sql } from 'kysely';

import { makePrivateFolder } from '../../support/private-files';
import { IrregularFileError } from '../../support/regular-file';
import { cannotWrite, replaceFile } from '../../support/replace-file';
import { type DatabaseSession, StoreError } from '../engine/engine';
import type { SqlValue } from '../engine/hot-statement';
import type { Database } from '../engine/schema';
import { CSV_FILES, type CsvFile, csvLine, FolderError, hasSpelling } from './csv-files';
import { allEqual } from './staging-tables';

/** Number of rows in memory at once. */
const PAGE_ROWS = 5000;

type ExportedRow = Readonly<Record<string, SqlValue>>;

/**
 * Reads the rows of a table by key, page by page, with the school's URL in place of its number. A page begins
 * after the last key of the page before, which an index finds at once; both engines would count up to an
 * offset.
 */
async function* pagesOf(
  kysely: Kysely<Database>,
  file: CsvFile,
  hasSpellings: boolean,
): AsyncGenerator<readonly ExportedRow[]> {
  const columns = [
    ...file.columns.map(({ column }) =>
      column === 'school_id' ? sql`sc.base_url as school_id` : sql.ref(`t.${column}`),
    ),
    ...(hasSpellings ? spellingsOf(file) : []),
  ];
  const [first, ...rest] = file.key;
  if (first !== 'school_id') {
    yield* pages(kysely, file, columns, file.key, undefined);
    return;
  }
  // Ordered by URL, not by number: two databases with the same data give the same file.
  const schools = { table: 'schools', columns: [] } as const;
  for await (const page of pages(kysely, schools, [sql`t.id`, sql`t.base_url`], ['base_url'], undefined))
    for (const { id = null } of page) yield* pages(kysely, file, columns, rest, id);
}

async function* pages(
  kysely: Kysely<Database>,
  file: Pick<CsvFile, 'table' | 'columns'>,
  columns: readonly RawBuilder<unknown>[],
  key: readonly string[],
  school: SqlValue | undefined,
): AsyncGenerator<readonly ExportedRow[]> {
  const inSchool = file.columns.some(({ column }) => column === 'school_id');
  const keys = sql.join(key.map((column) => sql.ref(`t.${column}`)));
  let after: readonly SqlValue[] | undefined;
  do {
    const { rows }: { rows: readonly ExportedRow[] } = await sql<ExportedRow>`
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

/**
 * Selects the spelling of each id in a file, its own and those of rows that it refers to; null for one stored
 * as is.
 */
function spellingsOf(file: CsvFile): readonly RawBuilder<unknown>[] {
  const own = hasSpelling(file) ? [sql`t.spelling as ${sql.ref(spellingName('id'))}`] : [];
  const others = file.references.flatMap(({ file: name, columns }) => {
    const parent = CSV_FILES.find((each) => each.file === name && hasSpelling(each));
    const column = Object.keys(columns).find((each) => each !== 'school_id');
    if (parent === undefined || column === undefined) return [];
    const same = allEqual(Object.entries(columns).map(([from, to]) => [`r.${to}`, `t.${from}`]));
    const spelling = sql`(select r.spelling from ${sql.table(parent.table)} as r where ${same})`;
    return [sql`${spelling} as ${sql.ref(spellingName(column))}`];
  });
  return [...own, ...others];
}

/** Names the selected spelling of a column's ids. */
const spellingName = (column: string): string => `spelling_of_${column}`;

interface ExportedFile {
  readonly file: string;
  readonly rows: number;
}

export interface ExportReport {
  readonly files: readonly ExportedFile[];
}

/**
 * Writes one CSV file per table, ordered by key, from one consistent snapshot; importing the files again
 * changes nothing. A file gets its name once it is complete, and only its owner can read it.
 *
 * @param hasSpellings - false if every id is stored as imported
 * @throws FolderError when the folder cannot be written, StoreError when the database fails
 */
export function exportFolder(
  session: DatabaseSession,
  folder: string,
  hasSpellings: boolean,
): Promise<ExportReport> {
  try {
    makePrivateFolder(folder);
  } catch (error) {
    throw notWritable(folder, error);
  }
  return session.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (snapshot) => {
      const files: ExportedFile[] = [];
      for (const file of CSV_FILES) files.push(await exportFile(snapshot, file, folder, hasSpellings));
      return { files };
    });
}

async function exportFile(
  snapshot: Kysely<Database>,
  file: CsvFile,
  folder: string,
  hasSpellings: boolean,
): Promise<ExportedFile> {
  let rows = 0;

  async function* texts(): AsyncGenerator<string> {
    yield csvLine(file.columns.map(({ header }) => header));
    for await (const page of pagesOf(snapshot, file, hasSpellings)) {
      rows += page.length;
      yield page
        .map((row) =>
          csvLine(
            file.columns.map(({ column, kind: { write = String } }) =>
              write(row[spellingName(column)] ?? row[column] ?? ''),
            ),
          ),
        )
        .join('');
    }
  }

  try {
    await replaceFile(join(folder, file.file), texts());
  } catch (error) {
    if (error instanceof StoreError) throw error;
    if (error instanceof IrregularFileError)
      throw new FolderError(`${join(folder, file.file)} ${error.code}. Remove it, or use another folder.`);
    throw new FolderError(cannotWrite(join(folder, file.file), error), { cause: error });
  }
  return { file: file.file, rows };
}

function notWritable(folder: string, error: unknown): FolderError {
  return new FolderError(cannotWrite(`to the folder ${folder}`, error), { cause: error });
}
