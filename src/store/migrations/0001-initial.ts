import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** The tables of the service: what they hold is said by the types of schema.ts. */
export function initial(engine: EngineName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await makeSchoolTables(db, engine);
      await makeMessageTables(db, engine);
      await makeFigureTables(db, engine);
      await makeDatabaseTables(db, engine);
      for (const statement of [...MESSAGE_INDEXES, ...OF_ENGINE[engine]]) await statement.execute(db);
    },
  };
}

/** Rows kept in the order of the primary key: such tables are read by it, and need no second tree. */
const BY_KEY = { sqlite: sql`without rowid`, postgres: sql`` } as const;

/** What the operator imports. */
async function makeSchoolTables(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const { text, integer, generatedId } = COLUMN_TYPES[engine];
  await db.schema
    .createTable('schools')
    .addColumn('id', generatedId)
    .addColumn('base_url', text, (column) => column.notNull().unique())
    .addColumn('name', text, (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('classes')
    .addColumn('school_id', 'integer', (column) => column.notNull().references('schools.id'))
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('name', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('classes_key', ['school_id', 'id'])
    .modifyEnd(BY_KEY[engine])
    .execute();

  await db.schema
    .createTable('students')
    .addColumn('school_id', 'integer', (column) => column.notNull().references('schools.id'))
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('full_name', text, (column) => column.notNull())
    .addColumn('show_active', text, (column) => column.notNull())
    .addColumn('class_id', text)
    .addColumn('device_id', text, (column) => column.notNull().defaultTo(''))
    .addPrimaryKeyConstraint('students_key', ['school_id', 'id'])
    .addForeignKeyConstraint('students_class', ['school_id', 'class_id'], 'classes', ['school_id', 'id'])
    .modifyEnd(BY_KEY[engine])
    .execute();
  await db.schema
    .createIndex('students_by_class')
    .on('students')
    .columns(['school_id', 'class_id'])
    .execute();

  await db.schema
    .createTable('devices')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('school_id', 'integer', (column) => column.notNull())
    .addColumn('student_id', text, (column) => column.notNull())
    .addColumn('token', text, (column) => column.notNull())
    .addColumn('platform', text, (column) => column.notNull())
    .addColumn('last_seen', integer)
    .addColumn('valid', 'integer', (column) => column.notNull().defaultTo(1))
    .addForeignKeyConstraint('devices_student', ['school_id', 'student_id'], 'students', ['school_id', 'id'])
    .execute();
  // Tells by itself which device of a student is the current one.
  await db.schema
    .createIndex('devices_by_student')
    .on('devices')
    .columns(['school_id', 'student_id', 'valid', 'last_seen', 'id'])
    .execute();

  await db.schema
    .createTable('exams')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('exam_entries')
    .addColumn('exam_id', text, (column) => column.notNull().references('exams.id'))
    .addColumn('subject_name', text, (column) => column.notNull())
    .addColumn('exam_date', text, (column) => column.notNull())
    .addColumn('start_time', text, (column) => column.notNull())
    .addColumn('duration_minutes', 'integer', (column) => column.notNull())
    .addPrimaryKeyConstraint('exam_entries_key', ['exam_id', 'subject_name'])
    .modifyEnd(BY_KEY[engine])
    .execute();

  await db.schema
    .createTable('note_types')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('name', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('notes')
    .addColumn('school_id', 'integer', (column) => column.notNull().references('schools.id'))
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('note_type', text, (column) => column.references('note_types.id'))
    .addColumn('title', text, (column) => column.notNull())
    .addColumn('text', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('notes_key', ['school_id', 'id'])
    .modifyEnd(BY_KEY[engine])
    .execute();
}

/** What is to be delivered, and what is counted of it. */
async function makeMessageTables(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[engine];
  await db.schema
    .createTable('messages')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('channel', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('recipient', text, (column) => column.notNull())
    .addColumn('school', text, (column) => column.notNull())
    .addColumn('payload', text)
    .addColumn('dedupe_key', text)
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('abandoned', 'integer')
    .addColumn('next_attempt_at', integer, (column) => column.notNull())
    .addColumn('lease_owner', text)
    .addColumn('lease_until', integer)
    .addColumn('expires_at', integer, (column) => column.notNull())
    .addColumn('provider_id', text)
    .addColumn('gateway', text)
    .addColumn('reason', text)
    .addColumn('reason_params', text)
    .addColumn('created_at', integer, (column) => column.notNull())
    .addColumn('updated_at', integer, (column) => column.notNull())
    .addColumn('caller', text)
    .addColumn('area', text)
    .addColumn('request_id', text)
    .addColumn('resolved_at', integer)
    .addColumn('without_device', 'integer')
    .addColumn('attempt_log', text)
    .addColumn('parts', 'integer')
    .addColumn('country', text)
    .addColumn('note', text)
    .addColumn('receipt', text)
    .addColumn('receipt_code', text)
    .addColumn('receipt_at', integer)
    .execute();
  await db.schema
    .createTable('early_receipts')
    .addColumn('gateway', text, (column) => column.notNull())
    .addColumn('provider_id', text, (column) => column.notNull())
    .addColumn('receipt', text, (column) => column.notNull())
    .addColumn('code', text)
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('parts', integer)
    .addColumn('heard_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('early_receipts_key', ['gateway', 'provider_id'])
    .execute();
  await db.schema
    .createTable('caller_codes')
    .addColumn('day', integer, (column) => column.notNull())
    .addColumn('caller', text, (column) => column.notNull())
    .addColumn('codes', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('caller_codes_key', ['day', 'caller'])
    .execute();
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
  await db.schema
    .createTable('daily_usage')
    .addColumn('digest', text, (column) => column.notNull().primaryKey())
    .addColumn('day', text, (column) => column.notNull())
    .addColumn('channel', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('school', text, (column) => column.notNull())
    .addColumn('country', text, (column) => column.notNull())
    .addColumn('caller', text, (column) => column.notNull())
    .addColumn('messages', integer, (column) => column.notNull())
    .addColumn('parts', integer, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('daily_usage_by_day').on('daily_usage').column('day').execute();
}

/** What was counted by the minute and by the hour, and who called. Each row is little more than its key. */
async function makeFigureTables(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[engine];
  await db.schema
    .createTable('figures')
    .addColumn('step', text, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('figure', text, (column) => column.notNull())
    .addColumn('first', text, (column) => column.notNull())
    .addColumn('second', text, (column) => column.notNull())
    .addColumn('third', text, (column) => column.notNull())
    .addColumn('counted', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('figures_key', ['step', 'at', 'figure', 'first', 'second', 'third'])
    .modifyEnd(BY_KEY[engine])
    .execute();
  await db.schema
    .createTable('caller_days')
    .addColumn('day', integer, (column) => column.notNull())
    .addColumn('caller', text, (column) => column.notNull())
    .addColumn('address', text, (column) => column.notNull())
    .addColumn('agent', text, (column) => column.notNull())
    .addColumn('operation', text, (column) => column.notNull())
    .addColumn('binding', text, (column) => column.notNull())
    .addColumn('requests', integer, (column) => column.notNull())
    .addColumn('last_seen_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('caller_days_key', ['day', 'caller', 'address', 'agent', 'operation', 'binding'])
    .modifyEnd(BY_KEY[engine])
    .execute();
}

/** What befell the database as a whole, and which processes share it. */
async function makeDatabaseTables(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const { text, integer } = COLUMN_TYPES[engine];
  await db.schema
    .createTable('nodes')
    .addColumn('name', text, (column) => column.notNull().primaryKey())
    .addColumn('heard_at', integer, (column) => column.notNull())
    .addColumn('facts', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('marks')
    .addColumn('name', text, (column) => column.notNull().primaryKey())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('detail', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('erasures')
    .addColumn('command', text, (column) => column.notNull())
    .addColumn('removed', text, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .execute();
  // A row for as long as nothing was loaded. It cannot be told from what there is: the operator may have taken all out.
  await db.schema
    .createTable('new_database')
    .addColumn('is_new', 'integer', (column) => column.notNull())
    .execute();
  await sql`insert into new_database values (1)`.execute(db);
}

/**
 * Each index of messages is a part of what it costs to take on a message, to claim it and to settle it. What is queued or
 * being sent has indexes of its own, which hold nothing else.
 */
const MESSAGE_INDEXES = [
  // claim: what is due in a channel
  sql`create index messages_due on messages (channel, next_attempt_at, id) where state = 'queued'`,
  // leases that ran out
  sql`create index messages_leased on messages (lease_until) where state = 'sending'`,
  // send policy and the operator: the codes of numbers that end alike, also of those that are masked
  sql`create index messages_by_phone_end
    on messages (substr('000000' || recipient, length(recipient)), created_at) where channel = 'sms'`,
  // where codes of the last day go
  sql`create index messages_by_area on messages (area, created_at) where area is not null`,
  // Codes that are to be erased and masked, those first that have their digest still. Word for word the condition of
  // the index of ends, PostgreSQL would take this one for it while the table is small, and keep that plan; an index with
  // a condition that a statement does not name cannot be taken for it.
  sql`create index codes_by_age on messages ((case when dedupe_key is null then 1 else 0 end), created_at)
    where channel = 'sms' and recipient not like '%...%'`,
  // the same request again?
  sql`create index requests_by_key on messages (dedupe_key)
    where channel = 'mark' and dedupe_key is not null`,
  // keys of requests that are to be erased
  sql`create index messages_with_request_key on messages (updated_at)
    where channel = 'mark' and dedupe_key is not null`,
  // what became of a request; with the state, sending a message would cost more than counting saves
  sql`create index messages_by_request on messages (request_id) where request_id is not null`,
  // requests without an end, and the operator's lists; an id sorts by age
  sql`create index messages_by_state on messages (state, id) where state not in ('queued', 'sending')`,
  sql`create index messages_by_school on messages (substr(school, 1, 200), id) where school <> ''`,
  // receipts; only SMS of gateways that send them are in it
  sql`create index messages_by_provider_id on messages (provider_id) where receipt is not null`,
  // what went to the devices of somebody who is to be forgotten, or whom the operator asks for
  sql`create index pushes_by_device on messages (recipient, id) where channel = 'push'`,
];

const OF_ENGINE = {
  sqlite: [
    // The students of a school are read from an index alone: to look for each of their rows cost more than to put them
    // into one text.
    sql`create index students_by_flag on students (school_id, show_active, id, full_name, device_id)`,
  ],
  postgres: [
    // It would look into the table all the same, and takes no long names into an index.
    sql`create index students_by_flag on students (school_id, show_active, id)`,
    // How many messages a school has: it does not learn that from an index of a part of the table, and would sort all
    // messages of a large school for a page of them.
    sql`create statistics messages_of_school on (substr(school, 1, 200)) from messages`,
    // When it clears away what changes have left. Each message is changed twice while it is delivered, and whoever claims
    // the next ones passes what those before have left in the index of what is due: with the server's own settings, a fifth
    // of all messages, that grows with what the table holds. A looser packing of pages would not help: every change of a
    // message changes an index.
    sql`alter table messages set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.03,
      autovacuum_analyze_scale_factor = 0.03)`,
  ],
} as const;
