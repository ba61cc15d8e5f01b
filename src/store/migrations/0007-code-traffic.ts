import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** Where codes go, so that more than usual is noticed: those of the last day by themselves, older ones by day. */
export function codeTraffic(engine: EngineName): Migration {
  const { text, integer } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable('messages').addColumn('area', text).execute();
      await sql`create index messages_by_area on messages (area, created_at) where area is not null`.execute(
        db,
      );
      await db.schema
        .createTable('code_traffic')
        .addColumn('caller', text, (column) => column.notNull())
        .addColumn('area', text, (column) => column.notNull())
        .addColumn('day', integer, (column) => column.notNull())
        .addColumn('codes', integer, (column) => column.notNull())
        .addPrimaryKeyConstraint('code_traffic_key', ['area', 'caller', 'day'])
        .execute();
      await db.schema
        .createTable('held_areas')
        .addColumn('area', text, (column) => column.notNull())
        .addColumn('caller', text, (column) => column.notNull())
        .addColumn('held_from', integer, (column) => column.notNull())
        .addColumn('held_until', integer, (column) => column.notNull())
        .addColumn('codes', integer, (column) => column.notNull())
        .addPrimaryKeyConstraint('held_areas_key', ['area', 'caller'])
        .execute();
    },
  };
}
