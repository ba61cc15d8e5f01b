import { type Kysely, sql } from 'kysely';

import type { Database, EngineName } from './schema';

const TAKE = {
  alone: sql`pg_advisory_xact_lock`,
  shared: sql`pg_advisory_xact_lock_shared`,
} as const;

/**
 * Keeps out others who take a lock of one of these names, until the transaction ends; those who share it keep out those
 * who do not. On SQLite the transaction itself does: it has the only write lock.
 */
export async function takeLock(
  transaction: Kysely<Database>,
  engine: EngineName,
  names: readonly [string, ...string[]],
  way: keyof typeof TAKE = 'alone',
): Promise<void> {
  if (engine === 'sqlite') return;
  const locks = names.map((name) => sql`${TAKE[way]}(hashtextextended(${name}, 0))`);
  await sql`select ${sql.join(locks)}`.execute(transaction);
}
