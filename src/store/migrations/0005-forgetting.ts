import { type Kysely, type Migration, sql } from 'kysely';

/** What is still to be forgotten, by the time that decides: so that nothing else is looked through for it. */
export const forgetting: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    for (const index of INDEXES) await index.execute(db);
  },
};

const INDEXES = [
  sql`create index messages_with_code on messages (expires_at) where channel = 'sms' and payload is not null`,
  sql`create index messages_with_digest on messages (created_at) where channel = 'sms' and dedupe_key is not null`,
  sql`create index messages_with_request_key on messages (updated_at) where channel = 'mark' and dedupe_key is not null`,
];
