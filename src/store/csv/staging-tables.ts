import { type Kysely, sql } from 'kysely';

import { COLUMN_TYPES, type Database, type Session, type TypedColumn } from '../engine';
import type { CsvFile } from './csv-files';

/*
 * Rows are first gathered in temporary tables, checked and compared there, and only what is new or changed
 * is then written, in one transaction. Reading a file of a million rows takes many seconds, and whoever
 * holds SQLite's write lock that long stops the service's own writes, which wait 5 s; the last step alone
 * takes under 2 s for a million students.
 */

/** Every row of a file, as read. A school stands there as its URL: it may be one of the same import. */
export function stagedTable({ table }: CsvFile): string {
  return `staged_${table}`;
}

/** The rows of a file that are not in the database in this form. */
export function changedTable({ table }: CsvFile): string {
  return `changed_${table}`;
}

/** The rows of a file that cannot be loaded. */
export function badTable({ table }: CsvFile): string {
  return `bad_${table}`;
}

/** The rows of the database that the files do not have, of the schools that they name. */
export function absentTable({ table }: CsvFile): string {
  return `absent_${table}`;
}

export function stagedColumn(column: string): string {
  return column === 'school_id' ? 'school_url' : column;
}

/** The staged columns, in the order in which rows are given. */
export function stagedColumns(file: CsvFile): readonly TypedColumn[] {
  const own = file.columns.map(({ column, kind }) => ({ name: stagedColumn(column), type: kind.stored }));
  return [{ name: 'line', type: 'integer' }, ...own];
}

export async function createStagingTable(session: Session, file: CsvFile): Promise<void> {
  let create = session.kysely.schema.createTable(stagedTable(file)).temporary();
  for (const { name, type } of stagedColumns(file)) {
    create = create.addColumn(name, COLUMN_TYPES[session.engine][type]);
  }
  await create.execute();
}

/** After loading: sorting once is cheaper than keeping in order. */
export async function indexStagingTable(kysely: Kysely<Database>, file: CsvFile): Promise<void> {
  const table = stagedTable(file);
  const columns = [...file.key.map(stagedColumn), 'line'].map((column) => sql.ref(column));
  await sql`create index ${sql.id(`${table}_key`)} on ${sql.table(table)} (${sql.join(columns)})`.execute(
    kysely,
  );
}
