import type { Kysely, Migration } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** What commands took out of the database, until the log of a service has it. */
export function erasures(engine: EngineName): Migration {
  const { text, integer } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('erasures')
        .addColumn('command', text, (column) => column.notNull())
        .addColumn('removed', text, (column) => column.notNull())
        .addColumn('at', integer, (column) => column.notNull())
        .execute();
    },
  };
}
