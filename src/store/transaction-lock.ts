import { type Kysely, sql } from 'kysely';

import type { EngineName } from './engine';
import type { Database } from './schema';

/**
 * Keeps out others who take the lock of this name, until the transaction ends. On SQLite the transaction
 * itself does: it has the only write lock.
 */
export async function takeLock(
  transaction: Kysely<Database>,
  engine: EngineName,
  name: string,
): Promise<void> {
  if (engine === 'sqlite') return;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(transaction);
}
