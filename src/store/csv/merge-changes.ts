import { type Kysely, sql } from 'kysely';

import type { CsvFile } from './csv-files';
import { CURRENT_DEVICE } from '../queries/current-device';
import type { Session } from '../engine/engine';
import type { Database } from '../engine/schema';
import { takeLock, WAITING_MARKS } from '../engine/transaction-lock';
import { changedTable } from './staging-tables';

/**
 * Writes what is new or changed, in one transaction, and lets the mark requests that wait for data try again
 * at once.
 *
 * @param now - milliseconds since 1970 UTC
 */
export async function mergeChanges(session: Session, file: CsvFile, now: number): Promise<void> {
  await session.kysely.transaction().execute(async (transaction) => {
    await takeLock(transaction, session.engine, file.table);
    if (file.table === 'devices') await rememberOwners(transaction, file);
    await writeRows(transaction, file);
    if (file.table === 'devices') await refreshCurrentDevices(transaction);
    // Held shortly: the rows are written, only the commit follows.
    await takeLock(transaction, session.engine, WAITING_MARKS);
    await wakeMarkRequests(transaction, now);
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

/** A request of SendMarkNotes whose school, class or note was not known waits in the outbox, queued for later. */
async function wakeMarkRequests(transaction: Kysely<Database>, now: number): Promise<void> {
  await transaction
    .updateTable('messages')
    .set({ next_attempt_at: now })
    .where('state', '=', sql.lit('queued'))
    .where('channel', '=', 'mark')
    .where('next_attempt_at', '>', now)
    .execute();
}
