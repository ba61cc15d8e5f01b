import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** Who asked for a message, codes of a day by caller, and codes of a telephone however its number is written. */
export function callers(engine: EngineName): Migration {
  const { text, integer } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable('messages').addColumn('caller', text).execute();
      // send policy: the codes of numbers that end alike, as long as they are whole
      await db.schema.dropIndex('messages_by_recipient').execute();
      await sql`create index messages_by_phone_end
        on messages (substr('000000' || recipient, length(recipient)), created_at)
        where channel = 'sms' and recipient not like '%...%'`.execute(db);

      await db.schema
        .createTable('caller_codes')
        .addColumn('day', integer, (column) => column.notNull())
        .addColumn('caller', text, (column) => column.notNull())
        .addColumn('codes', integer, (column) => column.notNull())
        .addPrimaryKeyConstraint('caller_codes_key', ['day', 'caller'])
        .execute();
      await sql`insert into caller_codes (day, caller, codes) select day, '', codes from daily_codes`.execute(
        db,
      );
      await db.schema.dropTable('daily_codes').execute();
    },
  };
}
