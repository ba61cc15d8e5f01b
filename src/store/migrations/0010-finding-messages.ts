import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** What the operator finds messages by. Push messages, of which there are most, are in one index more. */
export function findingMessages(engine: EngineName): Migration {
  const { text } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable('messages').addColumn('note', text).execute();
      await NOTES_OF_REQUESTS[engine].execute(db);
      await db.schema.dropIndex('messages_by_state').execute();
      for (const index of INDEXES) await index.execute(db);
    },
  };
}

/** PostgreSQL takes no JSON apart that holds U+0000: such notes are not found. */
const NOTES_OF_REQUESTS = {
  sqlite: sql`update messages set note = payload ->> '$.note'
    where channel = 'mark' and payload is not null and instr(payload, ${sql.lit('\\u')}) = 0`,
  postgres: sql`update messages set note = payload::json ->> 'note'
    where channel = 'mark' and payload is not null and strpos(payload, ${sql.lit('\\u')}) = 0`,
};

const INDEXES = [
  sql`create index messages_by_state on messages (state, channel, id)`,
  // What went to a student's devices. The one that push messages pay for: some three hundredths of storing one.
  sql`create index pushes_by_device on messages (recipient, id) where channel = 'push'`,
  sql`create index messages_by_reason on messages (last_error, id) where last_error is not null`,
  sql`create index messages_by_masked_phone on messages (recipient, id)
    where channel = 'sms' and recipient like '%...%'`,
  sql`create index requests_by_class on messages (recipient, id) where channel = 'mark'`,
  sql`create index requests_by_note on messages (note, id) where channel = 'mark'`,
  // With the channel, which SQLite would else look for in each row.
  sql`create index requests_by_school on messages (substr(school, 1, 200), id, channel) where channel = 'mark'`,
];
