import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** What the delivery of messages asks the outbox, and the count of codes per day. */
export function delivery(engine: EngineName): Migration {
  const { integer } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      // Each channel is claimed by itself, so that codes never wait behind marks: a rank within it says nothing.
      await db.schema.dropIndex('messages_due').execute();
      await db.schema.alterTable('messages').dropColumn('priority').execute();
      // claim: what is due in a channel
      await sql`create index messages_due on messages (channel, next_attempt_at, id) where state = 'queued'`.execute(
        db,
      );
      await db.schema
        .createTable('daily_codes')
        .addColumn('day', integer, (column) => column.notNull().primaryKey())
        .addColumn('codes', integer, (column) => column.notNull())
        .execute();
    },
  };
}
