import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** Creates the tables of the service, described by the types in schema.ts. */
export function initial(engine: EngineName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      await makeSchoolTables(db, engine);
      await makeMessageTables(db, engine);
      await makeStatsTables(db, engine);
      await makeDatabaseTables(db, engine);
      for (const statement of [...MESSAGE_INDEXES, ...OF_ENGINE[engine]]) await statement.execute(db);
    },
  };
}

/** Stores rows in primary key order: such tables are read by it, and need no second tree. */
const BY_KEY = { sqlite: sql`without rowid`, postgres: sql`` } as const;

/** Creates the tables of imported data. */
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
    .addColumn('spelling', text)
    .addColumn('name', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('classes_key', ['school_id', 'id'])
    .modifyEnd(BY_KEY[engine])
    .execute();

  await db.schema
    .createTable('students')
    .addColumn('school_id', 'integer', (column) => column.notNull().references('schools.id'))
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('spelling', text)
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
    .addColumn('spelling', text)
    .addColumn('school_id', 'integer', (column) => column.notNull())
    .addColumn('student_id', text, (column) => column.notNull())
    .addColumn('token', text, (column) => column.notNull())
    .addColumn('platform', text, (column) => column.notNull())
    .addColumn('last_seen', integer)
    .addColumn('valid', 'integer', (column) => column.notNull().defaultTo(1))
    .addForeignKeyConstraint('devices_student', ['school_id', 'student_id'], 'students', ['school_id', 'id'])
    .execute();
  // Determines by itself which device of a student is the current one.
  await db.schema
    .createIndex('devices_by_student')
    .on('devices')
    .columns(['school_id', 'student_id', 'valid', 'last_seen', 'id'])
    .execute();

  await db.schema
    .createTable('exams')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('spelling', text)
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
    .addColumn('spelling', text)
    .addColumn('name', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('notes')
    .addColumn('school_id', 'integer', (column) => column.notNull().references('schools.id'))
    .addColumn('id', text, (column) => column.notNull())
    .addColumn('spelling', text)
    .addColumn('note_type', text, (column) => column.references('note_types.id'))
    .addColumn('title', text, (column) => column.notNull())
    .addColumn('text', text, (column) => column.notNull())
    .addPrimaryKeyConstraint('notes_key', ['school_id', 'id'])
    .modifyEnd(BY_KEY[engine])
    .execute();
}

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
    .createTable('refused_codes')
    .addColumn('tail', text, (column) => column.notNull())
    .addColumn('whole', text, (column) => column.notNull())
    .addColumn('reason', text, (column) => column.notNull())
    .addColumn('hour', integer, (column) => column.notNull())
    .addColumn('bound', integer, (column) => column.notNull())
    .addColumn('times', integer, (column) => column.notNull())
    .addColumn('first_at', integer, (column) => column.notNull())
    .addColumn('last_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('refused_codes_key', ['tail', 'whole', 'reason', 'hour'])
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
    .createTable('blocked_areas')
    .addColumn('area', text, (column) => column.notNull())
    .addColumn('caller', text, (column) => column.notNull())
    .addColumn('blocked_from', integer, (column) => column.notNull())
    .addColumn('blocked_until', integer, (column) => column.notNull())
    .addColumn('codes', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('blocked_areas_key', ['area', 'caller'])
    .execute();
  await db.schema
    .createTable('daily_usage')
    .addColumn('digest', text, (column) => column.notNull().primaryKey())
    .addColumn('day', text, (column) => column.notNull())
    .addColumn('channel', text, (column) => column.notNull())
    .addColumn('state', text, (column) => column.notNull())
    .addColumn('school', text, (column) => column.notNull())
    .addColumn('country', text, (column) => column.notNull())
    .addColumn('gateway', text, (column) => column.notNull())
    .addColumn('caller', text, (column) => column.notNull())
    .addColumn('messages', integer, (column) => column.notNull())
    .addColumn('parts', integer, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('daily_usage_by_day').on('daily_usage').column('day').execute();
}

/** Creates the tables of counts by the minute and by the hour, and of callers. A row is little more than its key. */
async function makeStatsTables(db: Kysely<unknown>, engine: EngineName): Promise<void> {
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
    .addColumn('outcome', text, (column) => column.notNull())
    .addColumn('requests', integer, (column) => column.notNull())
    .addColumn('last_seen_at', integer, (column) => column.notNull())
    .addPrimaryKeyConstraint('caller_days_key', [
      'day',
      'caller',
      'address',
      'agent',
      'operation',
      'binding',
      'outcome',
    ])
    .modifyEnd(BY_KEY[engine])
    .execute();
}

/** Creates the tables about the database as a whole, and the processes that share it. */
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
    .createTable('audit')
    .addColumn('id', text, (column) => column.notNull().primaryKey())
    .addColumn('at', integer, (column) => column.notNull())
    .addColumn('who', text, (column) => column.notNull())
    .addColumn('action', text, (column) => column.notNull())
    .addColumn('detail', text, (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('erasures')
    .addColumn('command', text, (column) => column.notNull())
    .addColumn('removed', text, (column) => column.notNull())
    .addColumn('at', integer, (column) => column.notNull())
    .execute();
  // Has a row until data has been loaded. The other tables cannot show that: the operator may have removed everything.
  await db.schema
    .createTable('new_database')
    .addColumn('is_new', 'integer', (column) => column.notNull())
    .execute();
  await sql`insert into new_database values (1)`.execute(db);
}

/**
 * Every index of messages adds to the cost of accepting, claiming and settling a message. Messages that are queued or
 * being sent therefore have partial indexes of their own.
 */
const MESSAGE_INDEXES = [
  // claim: due messages of a channel
  sql`create index messages_due on messages (channel, next_attempt_at, id) where state = 'queued'`,
  // expired leases
  sql`create index messages_leased on messages (lease_until) where state = 'sending'`,
  // send policy and the operator: codes of numbers with the same ending, masked or not
  sql`create index messages_by_phone_end
    on messages (substr('000000' || recipient, length(recipient)), created_at) where channel = 'sms'`,
  // destinations of codes of the last day
  sql`create index messages_by_area on messages (area, created_at) where area is not null`,
  // Codes to be erased and masked, those with a digest first. Worded exactly like the condition of the index of ends,
  // PostgreSQL would use this index for it while the table is small, and keep that plan; an index with a condition that
  // a statement does not contain cannot be used for it.
  sql`create index codes_by_age on messages ((case when dedupe_key is null then 1 else 0 end), created_at)
    where channel = 'sms' and recipient not like '%...%'`,
  // duplicate requests
  sql`create index requests_by_key on messages (dedupe_key)
    where channel = 'mark' and dedupe_key is not null`,
  // keys of requests to be erased
  sql`create index messages_with_request_key on messages (updated_at)
    where channel = 'mark' and dedupe_key is not null`,
  // outcome of a request; with the state, sending a message would cost more than counting saves
  sql`create index messages_by_request on messages (request_id) where request_id is not null`,
  // requests without an end, and the operator's lists; an id sorts by age
  sql`create index messages_by_state on messages (state, id) where state not in ('queued', 'sending')`,
  sql`create index messages_by_school on messages (substr(school, 1, 200), id) where school <> ''`,
  // receipts; only SMS of gateways that send them are in it
  sql`create index messages_by_provider_id on messages (provider_id) where receipt is not null`,
  // messages to the devices of a person to be erased, or searched for by the operator
  sql`create index pushes_by_device on messages (recipient, id) where channel = 'push'`,
];

const OF_ENGINE = {
  sqlite: [
    // A school's students are read from the index alone: looking up each row would cost more than joining them into one
    // text.
    sql`create index students_by_flag on students (school_id, show_active, id, full_name, device_id)`,
  ],
  postgres: [
    // It would access the table all the same, and does not store long names in an index.
    sql`create index students_by_flag on students (school_id, show_active, id)`,
    // Number of messages per school: PostgreSQL does not learn it from a partial index, and would sort all messages of
    // a large school for one page.
    sql`create statistics messages_of_school on (substr(school, 1, 200)) from messages`,
    // Schedule of vacuuming. Each message is changed twice during delivery, and claiming passes the dead entries in the
    // index of due messages; with the default settings these can be a fifth of all messages, growing with the table.
    // Looser page packing would not help, because every change of a message changes an index.
    sql`alter table messages set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.03,
      autovacuum_analyze_scale_factor = 0.03)`,
  ],
} as const;
