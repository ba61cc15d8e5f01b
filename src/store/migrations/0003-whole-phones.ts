import { type Kysely, type Migration, sql } from 'kysely';

/** Telephone numbers are masked when the limits on codes need them no longer: here are those that are still whole. */
export const wholePhones: Migration = {
  async up(db: Kysely<unknown>): Promise<void> {
    await sql`create index messages_with_phone on messages (created_at)
      where channel = 'sms' and recipient not like '%...%'`.execute(db);
  },
};
