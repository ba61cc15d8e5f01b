import type { Kysely, Migration } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** How each node says it is. */
export function nodes(engine: EngineName): Migration {
  const { text, integer } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('nodes')
        .addColumn('name', text, (column) => column.notNull().primaryKey())
        .addColumn('heard_at', integer, (column) => column.notNull())
        .addColumn('facts', text, (column) => column.notNull())
        .execute();
    },
  };
}
