import type { Kysely, Migration } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** What befell the database as a whole: its last backup, and that it was moved away. */
export function marks(engine: EngineName): Migration {
  const { text, integer } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('marks')
        .addColumn('name', text, (column) => column.notNull().primaryKey())
        .addColumn('at', integer, (column) => column.notNull())
        .addColumn('detail', text, (column) => column.notNull())
        .execute();
    },
  };
}
