import { type Kysely, type Migration, sql } from 'kysely';

/**
 * Each index of messages is a part of what it costs to take on a code. Keys are looked up for requests alone, and a code
 * that is to be erased is found among those that have their digest still.
 */
export const fewerIndexes: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`update messages set payload = null where channel = 'sms' and payload is not null
      and dedupe_key is null and state not in ('queued', 'sending')`.execute(db);
    await sql`drop index messages_with_code`.execute(db);
    await sql`drop index messages_by_dedupe_key`.execute(db);
    await sql`create index requests_by_key on messages (dedupe_key)
      where channel = 'mark' and dedupe_key is not null`.execute(db);
  },
};
