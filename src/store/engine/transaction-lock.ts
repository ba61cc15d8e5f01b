import { type Kysely, sql } from 'kysely';

import type { Database, EngineName } from './schema';

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
