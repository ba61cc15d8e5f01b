import { type Kysely, type Migration, sql } from 'kysely';

/**
 * Each index of messages is a part of what it costs to take on a code, to claim it and to settle it. What is queued or
 * under way has indexes of its own, and a code is erased and masked by one: those first that have their digest still.
 */
export const lighterMessages: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`update messages set payload = null, dedupe_key = null where channel = 'sms' and recipient like '%...%'
      and (payload is not null or dedupe_key is not null) and state not in ('queued', 'sending')`.execute(db);
    for (const index of ['messages_with_digest', 'messages_with_phone', 'messages_by_state']) {
      await db.schema.dropIndex(index).execute();
    }
    await sql`create index codes_by_age on messages ((case when dedupe_key is null then 1 else 0 end), created_at)
      where channel = 'sms' and recipient not like '%...%'`.execute(db);
    await sql`create index messages_by_state on messages (state, channel, id)
      where state not in ('queued', 'sending')`.execute(db);
  },
};
