import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine';

/** Which push messages a request of SendMarkNotes became, and every attempt to deliver a message. */
export function requestsAndAttempts(engine: EngineName): Migration {
  const { text, integer } = COLUMN_TYPES[engine];
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await db.schema.alterTable('messages').addColumn('request_id', text).execute();
      await db.schema.alterTable('messages').addColumn('resolved_at', integer).execute();
      await db.schema.alterTable('messages').addColumn('without_device', 'integer').execute();
      // what became of a request; also by state alone, for what is still under way
      await sql`create index messages_by_request on messages (request_id, state)
        where request_id is not null`.execute(db);
      // Those among which repetitions are looked for: older ones have no key any more.
      await sql`update messages set resolved_at = updated_at
        where channel = 'mark' and dedupe_key is not null and state = 'sent'`.execute(db);

      await db.schema
        .createTable('attempts')
        .addColumn('message_id', text, (column) => column.notNull())
        .addColumn('number', 'integer', (column) => column.notNull())
        .addColumn('at', integer, (column) => column.notNull())
        .addColumn('provider', text)
        .addColumn('outcome', text, (column) => column.notNull())
        .addColumn('status', 'integer')
        .addColumn('provider_id', text)
        .addColumn('reason', text)
        .addColumn('milliseconds', 'integer')
        .addColumn('parts', 'integer')
        .addPrimaryKeyConstraint('attempts_key', ['message_id', 'number'])
        .modifyEnd(engine === 'sqlite' ? sql`without rowid` : sql``)
        .execute();
      for (const statement of GO_WITH_THEIR_MESSAGE[engine]) await statement.execute(db);
    },
  };
}

/** A foreign key would do the same, and have PostgreSQL lock the message once more for each attempt. */
const GO_WITH_THEIR_MESSAGE = {
  sqlite: [
    sql`create trigger attempts_go after delete on messages begin
      delete from attempts where message_id = old.id;
    end`,
  ],
  postgres: [
    sql`create function attempts_go() returns trigger language plpgsql as $$
      begin
        delete from attempts where message_id in (select id from gone);
        return null;
      end $$`,
    sql`create trigger attempts_go after delete on messages referencing old table as gone
      for each statement execute function attempts_go()`,
  ],
} as const;
