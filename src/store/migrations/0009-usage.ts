import type { Kysely, Migration } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** To which country a code goes, and the figures of messages that are there no more. */
export function usage(engine: EngineName): Migration {
  const { text, integer } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable('messages').addColumn('country', text).execute();
      await db.schema
        .createTable('daily_usage')
        .addColumn('digest', text, (column) => column.notNull().primaryKey())
        .addColumn('day', text, (column) => column.notNull())
        .addColumn('channel', text, (column) => column.notNull())
        .addColumn('state', text, (column) => column.notNull())
        .addColumn('school', text, (column) => column.notNull())
        .addColumn('country', text, (column) => column.notNull())
        .addColumn('caller', text, (column) => column.notNull())
        .addColumn('messages', integer, (column) => column.notNull())
        .addColumn('parts', integer, (column) => column.notNull())
        .execute();
      await db.schema.createIndex('daily_usage_by_day').on('daily_usage').column('day').execute();
    },
  };
}
