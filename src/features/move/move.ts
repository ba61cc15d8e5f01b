import { createHash } from 'node:crypto';

import { type Kysely, sql } from 'kysely';

import { SILENT_MS, StoreError } from '../../store';
import {
  aloneOnPostgres,
  aloneOnSqlite,
  checkSchema,
  countRows,
  type Database,
  databasePlace,
  type DatabaseSession,
  KeepingError,
  located,
  migrate,
  OF_DATABASE,
  readMark,
  refuseMoved,
  removeMark,
  rowsIn,
  type SchemaTable,
  schemaTables,
  setMark,
  type SqlValue,
} from '../../store/whole-database';
import { sqlitePath } from '../../support/database-url';
import { isSameFile } from '../../support/regular-file';
import { counted } from '../../support/text';

/** Number of rows in memory at once. */
const PAGE_ROWS = 500;

type TableRow = readonly SqlValue[];

/**
 * Reads the rows of a table by key, page by page, values in the order of the columns. A page begins after the
 * last key of the page before, which an index finds at once. A table without a key is a single page.
 */
async function* pagesOf(
  kysely: Kysely<Database>,
  { name, columns, key }: SchemaTable,
): AsyncGenerator<readonly TableRow[], void> {
  const names = columns.map((column) => column.name);
  const keys = sql.join(key.map((column) => sql.ref(column)));
  let after: readonly SqlValue[] | undefined;
  do {
    const { rows } = await sql<Readonly<Record<string, SqlValue>>>`
      select ${sql.join(names.map((column) => sql.ref(column)))} from ${sql.table(name)}
      ${after === undefined ? sql`` : sql`where (${keys}) > (${sql.join(after)})`}
      ${key.length === 0 ? sql`` : sql`order by ${keys} limit ${sql.lit(PAGE_ROWS)}`}`.execute(kysely);
    const page = rows.map((row) => names.map((column) => row[column] ?? null));
    if (page.length > 0) yield key.length === 0 ? inOneOrder(page) : page;
    const last = key.length > 0 && rows.length === PAGE_ROWS ? rows.at(-1) : undefined;
    after = last && key.map((column) => last[column] ?? null);
  } while (after !== undefined);
}

function inOneOrder(rows: readonly TableRow[]): readonly TableRow[] {
  // A row is made of texts and numbers, which JSON keeps.
  return rows
    .map((row) => JSON.stringify(row))
    .toSorted()
    .map((text) => JSON.parse(text) as TableRow);
}

/** Number of rows of a table, and a checksum of all their values, in a text form common to both engines. */
class TableDigest {
  readonly #hash = createHash('sha256');
  #rows = 0;

  add(rows: readonly TableRow[]): void {
    for (const row of rows) this.#hash.update(`${JSON.stringify(row)}\n`);
    this.#rows += rows.length;
  }

  end(): { readonly rows: number; readonly checksum: string } {
    return { rows: this.#rows, checksum: this.#hash.digest('hex').slice(0, 16) };
  }
}

/** Runs work on a connection to a database while no other connection of this program uses it. */
type Alone = <T>(work: (session: DatabaseSession) => Promise<T>) => Promise<T>;

/** Reports progress, in rows copied and compared. */
type OnRows = (table: string, done: number, of: number) => void;

/** A table, identical in both databases. */
export interface MovedTable {
  readonly table: string;
  readonly rows: number;
  /** Checksum of all values in key order; the same on both engines. */
  readonly checksum: string;
}

/**
 * Copies every table into an empty database and compares the result with the source, in one transaction on
 * either side: if the process is killed, nothing has changed. Only some rows are in memory at once.
 *
 * @param place - target to show in messages
 * @throws KeepingError, StoreError
 */
function move(source: Alone, target: Alone, place: string, onRows: OnRows): Promise<readonly MovedTable[]> {
  return source(async (from) => {
    await checkSchema(from);
    await refuseMoved(from);
    await refuseRunning(from);
    const tables = await schemaTables();
    return target(async (to) => {
      await migrate(to);
      const rows = await rowsIn(to);
      if (rows > 0) {
        throw new KeepingError(`${place} is not empty (${counted(rows, 'row')}). Use an empty database.`);
      }
      await begin(from, tables);
      await begin(to, tables);
      const moved = await copyAll(from, to, tables, onRows);
      await setMark(from.kysely, 'moved', { at: Date.now(), detail: place });
      // In the opposite order, a crash would leave a retired database and none in its place.
      await sql`commit`.execute(to.kysely);
      await sql`commit`.execute(from.kysely);
      return moved;
    });
  });
}

/** @returns true if the database had been moved away */
async function undoMove(session: DatabaseSession): Promise<boolean> {
  await checkSchema(session);
  const mark = await readMark(session.kysely, 'moved');
  await removeMark(session.kysely, 'moved');
  return mark !== undefined;
}

/**
 * Refuses a database in use. SQLite's locks show its users; PostgreSQL connections of an idle service may be
 * closed, but a service that stops removes itself from the list of nodes.
 */
async function refuseRunning({ engine, kysely }: DatabaseSession): Promise<void> {
  if (engine === 'sqlite') return;
  const now = Date.now();
  const node = await kysely
    .selectFrom('nodes')
    .select(['name', 'heard_at'])
    .where('heard_at', '>', now - SILENT_MS)
    .executeTakeFirst();
  if (node === undefined) return;
  const ago = Math.round((now - node.heard_at) / 1000);
  throw new KeepingError(
    `The service on ${node.name} was running ${String(ago)} seconds ago. Stop it first. If it was killed, try ` +
      `again in ${String(SILENT_MS / 1000 - ago)} seconds.`,
  );
}

/**
 * Begins a transaction during which others may only read; closing the connection undoes uncommitted changes.
 */
async function begin({ engine, kysely }: DatabaseSession, tables: readonly SchemaTable[]): Promise<void> {
  if (engine === 'sqlite') {
    await sql`begin immediate`.execute(kysely);
    return;
  }
  await sql`begin isolation level repeatable read`.execute(kysely);
  await sql`lock table ${sql.join(tables.map(({ name }) => sql.table(name)))} in exclusive mode`.execute(
    kysely,
  );
}

async function copyAll(
  from: DatabaseSession,
  to: DatabaseSession,
  tables: readonly SchemaTable[],
  onRows: OnRows,
): Promise<readonly MovedTable[]> {
  for (const name of OF_DATABASE) await sql`delete from ${sql.table(name)}`.execute(to.kysely);
  let all = 0;
  for (const { name } of tables) all += await fromSource(() => countRows(from.kysely, name));
  let done = 0;
  const moved: MovedTable[] = [];
  for (const table of tables) {
    const step = (rows: number): void => onRows(table.name, (done += rows), 2 * all);
    const read = await digestRows(table, from.kysely, fromSource, async (rows) => {
      await to.insertRows(table.name, table.columns, rows);
      step(rows.length);
    });
    const written = await digestRows(table, to.kysely, asItIs, (rows) => step(rows.length));
    if (read.rows !== written.rows || read.checksum !== written.checksum) {
      throw new KeepingError(`Nothing was moved: the table ${table.name} differs between the two databases.`);
    }
    if (to.engine === 'postgres') await continueNumbers(to.kysely, table);
    moved.push(written);
  }
  return moved;
}

type Reading = <T>(read: () => Promise<T>) => Promise<T>;

const asItIs: Reading = (read) => read();

/** Wraps errors of the source, so that they are not taken for the target's. */
const fromSource: Reading = async (read) => {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new KeepingError(`Cannot read the database of DATABASE_URL. ${error.message}`, { cause: error });
  }
};

async function digestRows(
  table: SchemaTable,
  kysely: Kysely<Database>,
  reading: Reading,
  onPage: (rows: Parameters<TableDigest['add']>[0]) => Promise<void> | void,
): Promise<MovedTable> {
  const digest = new TableDigest();
  const pages = pagesOf(kysely, table);
  for (;;) {
    const page = await reading(() => pages.next());
    if (page.done === true) return { table: table.name, ...digest.end() };
    digest.add(page.value);
    await onPage(page.value);
  }
}

/** Sets the sequences of generated numbers to continue after the largest number in use. */
async function continueNumbers(kysely: Kysely<Database>, { name, columns }: SchemaTable): Promise<void> {
  for (const { name: column, type } of columns) {
    if (type !== 'integer') continue;
    await sql`select setval(numbers::regclass, max(${sql.ref(column)})) from ${sql.table(name)},
      pg_get_serial_sequence(${`"${name}"`}, ${column}) as numbers
      where numbers is not null group by numbers`.execute(kysely);
  }
}

/**
 * Copies all content of a database into an empty one, of the same engine or the other, while neither is in
 * use. Afterwards the first one refuses use until that is undone.
 *
 * @returns the tables, equal in both
 * @throws KeepingError, StoreError; nothing is changed then
 */
export async function moveDatabase(from: string, to: string, onRows: OnRows): Promise<readonly MovedTable[]> {
  const [file, other] = [sqlitePath(from), sqlitePath(to)];
  if (from === to || (file !== undefined && other !== undefined && isSameFile(file, other))) {
    throw new KeepingError('This is already the database of DATABASE_URL.');
  }
  return move(aloneOn(from, true), aloneOn(to, false), databasePlace(to), onRows);
}

/** Makes a database usable again that was moved to another one. @returns true if it had been moved */
export function undoMoveOf(url: string): Promise<boolean> {
  return aloneOn(url, true)(undoMove);
}

function aloneOn(url: string, mustExist: boolean): Alone {
  return async (work) => {
    const path = sqlitePath(url);
    try {
      return await (path === undefined ? aloneOnPostgres(url, work) : aloneOnSqlite(path, mustExist, work));
    } catch (error) {
      throw located(error, url);
    }
  };
}
