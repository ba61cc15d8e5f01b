import { randomUUID } from 'node:crypto';

import { type Kysely, type RawBuilder, sql } from 'kysely';

import { type DatabaseSession, StoreError, takeLock } from '../engine/engine';
import type { Database, EngineName } from '../engine/schema';
import { readMark, removeMark, setMark } from '../keeping/marks';
import { wakeMarkRequests } from '../outbox/mark-requests';
import { noteErasure } from '../outbox/retention';
import { CURRENT_DEVICE } from '../queries/devices';
import { noteStudentsChanged, untilVisibleToAll } from '../queries/students-version';
import { CSV_FILES, type CsvFile, writtenColumns } from './csv-files';
import type { UndoReport } from './import-report';

/** Maximum number of changed rows of an import that can be undone. */
const MAX_UNDO_ROWS = 500_000;

const LOCK = 'import undo';
const MARK = 'import undo';

/** Contents of the mark of an import that changed something. */
interface UndoMark {
  readonly id: string;
  /** True if too many rows were changed, or a person's data was erased since. */
  readonly isLost?: true;
}

/** Columns with numbers; all others are texts. */
const NUMBERS = new Set(['school_id', 'last_seen', 'valid', 'duration_minutes']);

/** Columns of a table that an undo brings back; the others are derived. */
function keptColumns(file: CsvFile): readonly string[] {
  return file.table === 'devices' ? [...writtenColumns(file), 'valid'] : writtenColumns(file);
}

/** Makes a JSON object of columns of a row. */
function jsonOf(engine: EngineName, row: string, columns: readonly string[]): RawBuilder<string> {
  const pairs = columns.map((column) => sql`${sql.lit(column)}, ${sql.ref(`${row}.${column}`)}`);
  return engine === 'sqlite'
    ? sql`json_object(${sql.join(pairs)})`
    : sql`cast(json_build_object(${sql.join(pairs)}) as text)`;
}

/** Reads a column of a JSON object. */
function fromJson(engine: EngineName, json: string, column: string): RawBuilder<unknown> {
  if (engine === 'sqlite') return sql`json_extract(${sql.ref(json)}, ${sql.lit(`$.${column}`)})`;
  const value = sql`(cast(${sql.ref(json)} as json) ->> ${sql.lit(column)})`;
  return NUMBERS.has(column) ? sql`cast(${value} as bigint)` : value;
}

/** Records what an import changes, so that all of it can be undone until the next one. */
export class UndoRecord {
  readonly #engine: EngineName;
  readonly #id = randomUUID();
  readonly #maxRows: number;
  #hasBegun = false;

  constructor(engine: EngineName, maxRows = MAX_UNDO_ROWS) {
    this.#engine = engine;
    this.#maxRows = maxRows;
  }

  /**
   * Records new and changed rows before they are written, in the same transaction.
   *
   * @param changed - table of these rows
   */
  async addChanges(
    transaction: Kysely<Database>,
    file: CsvFile,
    changed: string,
    now: number,
  ): Promise<void> {
    const pairs = file.key.map((column) => sql`${sql.ref(`t.${column}`)} = ${sql.ref(`c.${column}`)}`);
    await this.#add(
      transaction,
      sql`select ${sql.lit(file.file)} as file,
        case when c.is_new = 1 then 'new' else 'changed' end as change,
        ${jsonOf(this.#engine, 'c', file.key)} as row_key,
        case when c.is_new = 1 then null else ${jsonOf(this.#engine, 't', keptColumns(file))} end as old_row
        from ${sql.table(changed)} as c
          left join ${sql.table(file.table)} as t on ${sql.join(pairs, sql` and `)}`,
      now,
    );
  }

  /**
   * Records rows before they are deleted, in the same transaction.
   *
   * @param absent - table with the keys of these rows
   */
  async addRemovals(
    transaction: Kysely<Database>,
    file: CsvFile,
    absent: string,
    now: number,
  ): Promise<void> {
    const pairs = file.key.map((column) => sql`${sql.ref(`t.${column}`)} = ${sql.ref(`c.${column}`)}`);
    await this.#add(
      transaction,
      sql`select ${sql.lit(file.file)} as file, 'removed' as change,
        ${jsonOf(this.#engine, 't', file.key)} as row_key,
        ${jsonOf(this.#engine, 't', keptColumns(file))} as old_row
        from ${sql.table(absent)} as c join ${sql.table(file.table)} as t on ${sql.join(pairs, sql` and `)}`,
      now,
    );
  }

  async #add(transaction: Kysely<Database>, rows: RawBuilder<unknown>, now: number): Promise<void> {
    await takeLock(transaction, this.#engine, [LOCK]);
    if (!this.#hasBegun) {
      await sql`delete from import_undo`.execute(transaction);
      await writeUndoMark(transaction, now, { id: this.#id });
      this.#hasBegun = true;
    }
    const mark = await readUndoMark(transaction);
    // Another import has begun since, or this one is too large.
    if (mark?.id !== this.#id || mark.isLost === true) return;
    // One row more than the maximum shows that there are more.
    await sql`insert into import_undo (position, file, change, row_key, old_row)
      select (select coalesce(max(position), 0) from import_undo) + row_number() over (),
        file, change, row_key, old_row
      from (${rows} limit ${sql.lit(this.#maxRows + 1)}) as added`.execute(transaction);
    if ((await lastPosition(transaction)) > this.#maxRows) await forgetUndo(transaction, now);
  }
}

/** Makes an undo impossible and leaves no rows of it, in a transaction. */
export async function forgetUndo(transaction: Kysely<Database>, now: number): Promise<void> {
  await sql`delete from import_undo`.execute(transaction);
  if ((await readUndoMark(transaction)) !== undefined)
    await writeUndoMark(transaction, now, { id: '', isLost: true });
}

/** Returns the position of the last row, which is the number of rows without counting them. */
async function lastPosition(kysely: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ last: number | null }>`select max(position) as last from import_undo`.execute(
    kysely,
  );
  return rows[0]?.last ?? 0;
}

async function readUndoMark(
  kysely: Kysely<Database>,
): Promise<(UndoMark & { readonly at: number }) | undefined> {
  const mark = await readMark(kysely, MARK);
  // Only `writeUndoMark` writes it, from this type.
  return mark && { at: mark.at, ...(JSON.parse(mark.detail) as UndoMark) };
}

function writeUndoMark(kysely: Kysely<Database>, at: number, mark: UndoMark): Promise<void> {
  return setMark(kysely, MARK, { at, detail: JSON.stringify(mark) });
}

interface UndoCount {
  readonly file: string;
  readonly change: string;
  readonly rows: number;
}

/** Counts the rows of the last import once until they change: counting half a million holds up the others. */
export class UndoCounts {
  #countedFor = '';
  #counts: readonly UndoCount[] = [];

  async read(kysely: Kysely<Database>, importId: string): Promise<readonly UndoCount[]> {
    // Rows are only added, until all are deleted, and each import has another id.
    const countedFor = `${importId} ${String(await lastPosition(kysely))}`;
    if (countedFor === this.#countedFor) return this.#counts;
    const { rows } = await sql<UndoCount>`
      select file, change, count(*) as rows from import_undo group by file, change`.execute(kysely);
    this.#countedFor = countedFor;
    return (this.#counts = rows);
  }
}

/** Returns what an undo of the last import would do; undefined without an import to undo. */
export async function lastUndo(
  kysely: Kysely<Database>,
  counts = new UndoCounts(),
): Promise<UndoReport | undefined> {
  const mark = await readUndoMark(kysely);
  if (mark === undefined) return undefined;
  const rows = await counts.read(kysely, mark.id);
  const rowsOf = (file: string, change: string): number =>
    rows.find((each) => each.file === file && each.change === change)?.rows ?? 0;
  return {
    ...{ at: mark.at, isPossible: mark.isLost !== true },
    files: CSV_FILES.map(({ file }) => ({
      file,
      deletedRows: rowsOf(file, 'new'),
      restoredRows: rowsOf(file, 'changed'),
      returnedRows: rowsOf(file, 'removed'),
    })).filter(
      ({ deletedRows, restoredRows, returnedRows }) => deletedRows + restoredRows + returnedRows > 0,
    ),
  };
}

/**
 * Takes the last import back as a whole, in one transaction. Messages already sent stay sent.
 *
 * @param now - milliseconds since 1970 UTC
 * @throws StoreError without an import to undo, or if it can no longer be undone
 */
export async function undoImport({ kysely, engine }: DatabaseSession, now: number): Promise<UndoReport> {
  const report = await kysely.transaction().execute(async (transaction) => {
    await takeLock(transaction, engine, [LOCK, ...CSV_FILES.map(({ table }) => table)]);
    const undo = await lastUndo(transaction);
    if (undo === undefined) throw new StoreError('failed', 'There is no import to undo.');
    if (!undo.isPossible) throw new StoreError('failed', 'The last import can no longer be undone.');
    await rememberOwners(transaction, engine);
    // Rows that others refer to return first, and are deleted last.
    for (const file of CSV_FILES) await restoreRows(transaction, engine, file);
    await rememberOwners(transaction, engine);
    for (const file of CSV_FILES.toReversed()) await deleteNewRows(transaction, engine, file);
    await sql`update students set device_id = ${CURRENT_DEVICE} from undo_owners as a
      where students.school_id = a.school_id and students.id = a.student_id`.execute(transaction);
    await sql`drop table undo_owners`.execute(transaction);
    await sql`delete from import_undo`.execute(transaction);
    await removeMark(transaction, MARK);
    const removed = Object.fromEntries(
      undo.files.map(({ file, deletedRows }) => [file.replace('.csv', ''), deletedRows]),
    );
    await noteErasure(transaction, { command: 'import', removed, at: now });
    await wakeMarkRequests(transaction, engine, now);
    await noteStudentsChanged(transaction);
    return undo;
  });
  await untilVisibleToAll(engine);
  return report;
}

/** Collects the students whose devices or rows change, as the tables are now. */
async function rememberOwners(transaction: Kysely<Database>, engine: EngineName): Promise<void> {
  const id = fromJson(engine, 'u.row_key', 'id');
  await sql`create temporary table if not exists undo_owners (school_id integer, student_id text)`.execute(
    transaction,
  );
  await sql`insert into undo_owners
    select d.school_id, d.student_id from import_undo as u join devices as d on d.id = ${id}
      where u.file = 'devices.csv'
    union select ${fromJson(engine, 'u.row_key', 'school_id')}, ${id} from import_undo as u
      where u.file = 'students.csv' and u.change = 'removed'`.execute(transaction);
}

async function restoreRows(transaction: Kysely<Database>, engine: EngineName, file: CsvFile): Promise<void> {
  const columns = keptColumns(file);
  const values = columns.map((column) => fromJson(engine, 'u.old_row', column));
  const updates = columns
    .filter((column) => !file.key.includes(column))
    .map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`);
  await sql`insert into ${sql.table(file.table)} (${sql.join(columns.map((column) => sql.ref(column)))})
    select ${sql.join(values)} from import_undo as u where u.file = ${file.file} and u.change <> 'new'
    on conflict (${sql.join(file.key.map((column) => sql.ref(column)))})
    do update set ${sql.join(updates)}`.execute(transaction);
}

async function deleteNewRows(
  transaction: Kysely<Database>,
  engine: EngineName,
  file: CsvFile,
): Promise<void> {
  const values = file.key.map((column) => fromJson(engine, 'u.row_key', column));
  const key = sql.join(file.key.map((column) => sql.ref(column)));
  await sql`delete from ${sql.table(file.table)} where (${key}) in
    (select ${sql.join(values)} from import_undo as u
      where u.file = ${file.file} and u.change = 'new')`.execute(transaction);
}
