import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** What was counted by the minute and by the hour, and who called. */
export function figures(engine: EngineName): Migration {
  const { text, integer } = COLUMN_TYPES[engine];
  // Each row is little more than its key.
  const end = engine === 'sqlite' ? sql`without rowid` : sql``;
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema
        .createTable('figures')
        .addColumn('step', text, (column) => column.notNull())
        .addColumn('at', integer, (column) => column.notNull())
        .addColumn('figure', text, (column) => column.notNull())
        .addColumn('first', text, (column) => column.notNull())
        .addColumn('second', text, (column) => column.notNull())
        .addColumn('third', text, (column) => column.notNull())
        .addColumn('counted', integer, (column) => column.notNull())
        .addPrimaryKeyConstraint('figures_key', ['step', 'at', 'figure', 'first', 'second', 'third'])
        .modifyEnd(end)
        .execute();
      await db.schema
        .createTable('caller_days')
        .addColumn('day', integer, (column) => column.notNull())
        .addColumn('caller', text, (column) => column.notNull())
        .addColumn('address', text, (column) => column.notNull())
        .addColumn('agent', text, (column) => column.notNull())
        .addColumn('operation', text, (column) => column.notNull())
        .addColumn('binding', text, (column) => column.notNull())
        .addColumn('requests', integer, (column) => column.notNull())
        .addColumn('last_seen_at', integer, (column) => column.notNull())
        .addPrimaryKeyConstraint('caller_days_key', [
          ...(['day', 'caller', 'address', 'agent', 'operation', 'binding'] as const),
        ])
        .modifyEnd(end)
        .execute();
    },
  };
}
