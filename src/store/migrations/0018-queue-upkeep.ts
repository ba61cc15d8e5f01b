import { type Kysely, type Migration, sql } from 'kysely';

import type { EngineName } from '../engine/schema';

/**
 * When PostgreSQL clears away what changes have left. Each message is changed twice while it is delivered, and whoever
 * claims the next ones passes what those before have left in the index of what is due: with the server's own settings, a
 * fifth of all messages, that grows with what the table holds. A looser packing of pages would not help: every change of
 * a message changes an index.
 */
export function queueUpkeep(engine: EngineName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      if (engine !== 'postgres') return;
      await sql`alter table messages set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.03,
        autovacuum_analyze_scale_factor = 0.03)`.execute(db);
    },
  };
}
