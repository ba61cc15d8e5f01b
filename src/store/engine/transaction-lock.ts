import { type Kysely, sql } from 'kysely';

import type { EngineName } from './engine';
import type { Database } from './schema';

/**
 * Those who ask what requests of SendMarkNotes lack share it; who loads data takes it to wake the requests that
 * wait. So none that did not see the data can come to wait after it was passed over.
 */
export const WAITING_MARKS = 'waiting marks';

const TAKE = {
  alone: sql`pg_advisory_xact_lock`,
  shared: sql`pg_advisory_xact_lock_shared`,
} as const;

/**
 * Keeps out others who take the lock of this name, until the transaction ends; those who share it keep out those
 * who do not. On SQLite the transaction itself does: it has the only write lock.
 */
export async function takeLock(
  transaction: Kysely<Database>,
  engine: EngineName,
  name: string,
  way: keyof typeof TAKE = 'alone',
): Promise<void> {
  if (engine === 'sqlite') return;
  await sql`select ${TAKE[way]}(hashtextextended(${name}, 0))`.execute(transaction);
}
