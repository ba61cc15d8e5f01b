import { StoreError } from '../engine/engine';
import { backup, type DatabaseSyncInstance, sqliteError } from './library';
import { openDatabase } from './open-database';
import type { TableRows } from '../keeping/tables';

/** Number of pages copied before other work gets a turn. */
const PAGES_AT_ONCE = 1000;

/** Reports the progress of a copy, in pages. */
export type OnPages = (done: number, of: number) => void;

/**
 * Copies the current state of a database file into another one while others write to it, and verifies the
 * copy: no damage found by SQLite, no dangling references, and equal row counts in each table. The copy is a
 * single file without a log.
 *
 * @param from - path of a database, which is only read
 * @param to - path of an empty file
 * @throws StoreError
 */
export async function copyDatabase(
  from: string,
  to: string,
  onPages: OnPages,
): Promise<readonly TableRows[]> {
  let source: DatabaseSyncInstance | undefined;
  try {
    source = openDatabase(from, { asItIs: true, readOnly: true });
    // Otherwise writes over other connections would restart the copy.
    source.exec('begin');
    const tables = tableRows(source);
    const progress = ({ totalPages, remainingPages }: { totalPages: number; remainingPages: number }) =>
      onPages(totalPages - remainingPages, totalPages);
    const pages = await backup(source, to, { rate: PAGES_AT_ONCE, progress });
    onPages(pages, pages); // Of the last ones nothing is said.
    verify(to, tables);
    return tables;
  } catch (error) {
    throw sqliteError(error);
  } finally {
    if (source?.isTransaction === true) source.exec('rollback');
    source?.close();
  }
}

function verify(path: string, expected: readonly TableRows[]): void {
  const copy = openDatabase(path, { asItIs: true });
  try {
    copy.exec('pragma journal_mode = DELETE');
    const [[damage] = []] = readRows(copy, 'pragma integrity_check(1)');
    if (damage !== 'ok') throw new StoreError('corrupt', `The database is damaged: ${String(damage)}.`);
    const [loose] = readRows(copy, 'pragma foreign_key_check');
    if (loose !== undefined) {
      const message = `A row of the table ${String(loose[0])} refers to a missing row.`;
      throw new StoreError('corrupt', message);
    }
    if (JSON.stringify(tableRows(copy)) !== JSON.stringify(expected)) {
      throw new StoreError('corrupt', 'The row counts of the copy and the database differ.');
    }
  } finally {
    copy.close();
  }
}

const TABLES = `select name from sqlite_schema where type = 'table' and name not like 'sqlite~_%' escape '~' order by name`;

function tableRows(database: DatabaseSyncInstance): readonly TableRows[] {
  return readRows(database, TABLES).map(([name]) => {
    const table = String(name);
    const [[rows] = []] = readRows(database, `select count(*) from "${table}"`);
    return { table, rows: Number(rows) };
  });
}

function readRows(database: DatabaseSyncInstance, query: string): readonly (readonly unknown[])[] {
  const statement = database.prepare(query);
  statement.setReturnArrays(true);
  return statement.all() as unknown[][]; // What the setting makes of rows.
}
