import { type Kysely, sql } from 'kysely';

import { type Database, type Session, takeLock } from '../engine';
import { wakeMarkRequests } from '../outbox';
import { CURRENT_DEVICE } from '../queries';
import type { CsvFile } from './csv-files';
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

/**
 * Writes what is new or changed, in one transaction, and lets the mark requests that wait for data try again
 * at once.
 *
 * @param now - milliseconds since 1970 UTC
 */
export async function mergeChanges(session: Session, file: CsvFile, now: number): Promise<void> {
  await session.kysely.transaction().execute(async (transaction) => {
    await takeLock(transaction, session.engine, [file.table]);
    if (file.table === 'devices') await rememberOwners(transaction, file);
    await writeRows(transaction, file);
    if (file.table === 'devices') await refreshCurrentDevices(transaction);
    await wakeMarkRequests(transaction, session.engine, now);
  });
}

async function writeRows(transaction: Kysely<Database>, file: CsvFile): Promise<void> {
  const columns = file.columns.map(({ column }) => column);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const updates = columns
    .filter((column) => !file.key.includes(column))
    .map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`);
  if (file.alsoUpdate !== undefined) updates.push(file.alsoUpdate);
  // SQLite needs a where clause before "on conflict", else it reads a join's "on".
  await sql`insert into ${sql.table(file.table)} (${names})
    select ${names} from ${sql.table(changedTable(file))} where true
    on conflict (${sql.join(file.key.map((column) => sql.ref(column)))})
    do update set ${sql.join(updates)}`.execute(transaction);
}

/** The students whose devices change: those who get one, and those who had it before. */
async function rememberOwners(transaction: Kysely<Database>, file: CsvFile): Promise<void> {
  const changed = sql.table(changedTable(file));
  await sql`create temporary table affected_students as
    select school_id, student_id from ${changed}
    union
    select d.school_id, d.student_id from ${changed} as c join devices as d on d.id = c.id where c.is_new = 0
    `.execute(transaction);
}

async function refreshCurrentDevices(transaction: Kysely<Database>): Promise<void> {
  await sql`update students set device_id = ${CURRENT_DEVICE}
    from affected_students as a
    where students.school_id = a.school_id and students.id = a.student_id`.execute(transaction);
}
