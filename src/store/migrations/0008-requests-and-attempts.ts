import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** Which push messages a request of SendMarkNotes became, every attempt to deliver a message, and what was paid for. */
export function requestsAndAttempts(engine: EngineName): Migration {
  const { text, integer } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable('messages').addColumn('request_id', text).execute();
      await db.schema.alterTable('messages').addColumn('resolved_at', integer).execute();
      await db.schema.alterTable('messages').addColumn('without_device', 'integer').execute();
      await db.schema.alterTable('messages').addColumn('attempt_log', text).execute();
      await db.schema.alterTable('messages').addColumn('parts', 'integer').execute();
      // What became of a request. The state would make it dearer to send a message than it makes it cheaper to count.
      await sql`create index messages_by_request on messages (request_id)
        where request_id is not null`.execute(db);
      // Those among which repetitions are looked for: older ones have no key any more.
      await sql`update messages set resolved_at = updated_at
        where channel = 'mark' and dedupe_key is not null and state = 'sent'`.execute(db);
    },
  };
}
