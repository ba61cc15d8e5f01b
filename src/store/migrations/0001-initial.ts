import { type Kysely, type Migration, type RawBuilder, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/**
 * Creates the tables of the service, described by the types in schema.ts. `restore` compares a backup's
 * statements with these, so that not even their spaces may change once there are backups.
 */
export function initial(engine: EngineName): Migration {
  return {
    async up(db: Kysely<unknown>): Promise<void> {
      for (const statement of [...tables(engine), ...MESSAGE_INDEXES, ...OF_ENGINE[engine]]) {
        await statement.execute(db);
      }
    },
  };
}

/** Stores rows in primary key order: such tables are read by it, and need no second tree. */
const BY_KEY = { sqlite: sql`without rowid`, postgres: sql`` } as const;

function tables(engine: EngineName): readonly RawBuilder<unknown>[] {
  const { text, integer, generatedId } = COLUMN_TYPES[engine];
  const byKey = BY_KEY[engine];
  return [
    // imported data
    sql`create table schools (
      id ${generatedId}, base_url ${text} not null unique, name ${text} not null)`,
    sql`create table classes (
      school_id integer not null references schools (id), id ${text} not null, spelling ${text},
      name ${text} not null,
      constraint classes_key primary key (school_id, id)) ${byKey}`,
    sql`create table students (
      school_id integer not null references schools (id), id ${text} not null, spelling ${text},
      full_name ${text} not null, show_active ${text} not null, class_id ${text},
      device_id ${text} default '' not null,
      constraint students_key primary key (school_id, id),
      constraint students_class foreign key (school_id, class_id) \
references classes (school_id, id)) ${byKey}`,
    sql`create index students_by_class on students (school_id, class_id)`,
    sql`create table devices (
      id ${text} not null primary key, spelling ${text}, school_id integer not null,
      student_id ${text} not null, token ${text} not null, platform ${text} not null,
      last_seen ${integer}, valid integer default 1 not null,
      constraint devices_student foreign key (school_id, student_id) references students (school_id, id))`,
    // Determines by itself which device of a student is the current one.
    sql`create index devices_by_student on devices (school_id, student_id, valid, last_seen, id)`,
    sql`create table exams (
      id ${text} not null primary key, spelling ${text}, name ${text} not null)`,
    sql`create table exam_entries (
      exam_id ${text} not null references exams (id), subject_name ${text} not null,
      exam_date ${text} not null, start_time ${text} not null, duration_minutes integer not null,
      constraint exam_entries_key primary key (exam_id, subject_name)) ${byKey}`,
    sql`create table note_types (
      id ${text} not null primary key, spelling ${text}, name ${text} not null)`,
    sql`create table notes (
      school_id integer not null references schools (id), id ${text} not null, spelling ${text},
      note_type ${text} references note_types (id), title ${text} not null, text ${text} not null,
      constraint notes_key primary key (school_id, id)) ${byKey}`,

    // messages
    sql`create table messages (
      id ${text} not null primary key, channel ${text} not null, state ${text} not null,
      recipient ${text} not null, school ${text} not null, payload ${text}, dedupe_key ${text},
      attempts integer not null, abandoned integer, next_attempt_at ${integer} not null,
      lease_owner ${text}, lease_until ${integer}, expires_at ${integer} not null,
      provider_id ${text}, gateway ${text}, reason ${text}, reason_params ${text},
      created_at ${integer} not null, updated_at ${integer} not null, caller ${text}, area ${text},
      request_id ${text}, resolved_at ${integer}, without_device integer, attempt_log ${text},
      parts integer, country ${text}, note ${text},
      receipt ${text}, receipt_code ${text}, receipt_at ${integer})`,
    sql`create table early_receipts (
      gateway ${text} not null, provider_id ${text} not null, receipt ${text} not null, code ${text},
      at ${integer} not null, parts ${integer}, heard_at ${integer} not null,
      constraint early_receipts_key primary key (gateway, provider_id))`,
    sql`create table caller_codes (
      day ${integer} not null, caller ${text} not null, codes ${integer} not null,
      constraint caller_codes_key primary key (day, caller))`,
    sql`create table refused_codes (
      tail ${text} not null, whole ${text} not null, reason ${text} not null, hour ${integer} not null,
      bound ${integer} not null, times ${integer} not null,
      first_at ${integer} not null, last_at ${integer} not null,
      constraint refused_codes_key primary key (tail, whole, reason, hour))`,
    sql`create table code_traffic (
      caller ${text} not null, area ${text} not null, day ${integer} not null, codes ${integer} not null,
      constraint code_traffic_key primary key (area, caller, day))`,
    sql`create table blocked_areas (
      area ${text} not null, caller ${text} not null,
      blocked_from ${integer} not null, blocked_until ${integer} not null, codes ${integer} not null,
      constraint blocked_areas_key primary key (area, caller))`,
    sql`create table daily_usage (
      digest ${text} not null primary key, day ${text} not null, channel ${text} not null,
      state ${text} not null, school ${text} not null, country ${text} not null, gateway ${text} not null,
      caller ${text} not null, messages ${integer} not null, parts ${integer} not null)`,
    sql`create index daily_usage_by_day on daily_usage (day)`,

    // Counts by the minute and by the hour, and callers. A row is little more than its key.
    sql`create table figures (
      step ${text} not null, at ${integer} not null, figure ${text} not null,
      first ${text} not null, second ${text} not null, third ${text} not null, counted ${integer} not null,
      constraint figures_key primary key (step, at, figure, first, second, third)) ${byKey}`,
    sql`create table caller_days (
      day ${integer} not null, caller ${text} not null, address ${text} not null, agent ${text} not null,
      operation ${text} not null, binding ${text} not null, outcome ${text} not null,
      requests ${integer} not null, last_seen_at ${integer} not null,
      constraint caller_days_key
        primary key (day, caller, address, agent, operation, binding, outcome)) ${byKey}`,

    // the database as a whole, and the processes that share it
    sql`create table nodes (
      name ${text} not null primary key, heard_at ${integer} not null, facts ${text} not null)`,
    sql`create table marks (
      name ${text} not null primary key, at ${integer} not null, detail ${text} not null)`,
    sql`create table audit (
      id ${text} not null primary key, at ${integer} not null, who ${text} not null,
      action ${text} not null, detail ${text} not null)`,
    sql`create table erasures (command ${text} not null, removed ${text} not null, at ${integer} not null)`,
    // Has a row until data has been loaded. The other tables cannot show that: the operator may have removed
    // everything.
    sql`create table new_database (is_new integer not null)`,
    sql`insert into new_database values (1)`,
  ];
}

/**
 * Every index of messages adds to the cost of accepting, claiming and settling a message. Messages that are
 * queued or being sent therefore have partial indexes of their own.
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
  // Codes to be erased and masked, those with a digest first. Worded exactly like the condition of the index
  // of ends, PostgreSQL would use this index for it while the table is small, and keep that plan; an index
  // with a condition that a statement does not contain cannot be used for it.
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
    // A school's students are read from the index alone: looking up each row would cost more than joining
    // them into one text.
    sql`create index students_by_flag on students (school_id, show_active, id, full_name, device_id)`,
  ],
  postgres: [
    // It would access the table all the same, and does not store long names in an index.
    sql`create index students_by_flag on students (school_id, show_active, id)`,
    // Number of messages per school: PostgreSQL does not learn it from a partial index, and would sort all
    // messages of a large school for one page.
    sql`create statistics messages_of_school on (substr(school, 1, 200)) from messages`,
    // Schedule of vacuuming. Each message is changed twice during delivery, and claiming passes the dead
    // entries in the index of due messages; with the default settings these can be a fifth of all messages,
    // growing with the table. Looser page packing would not help, because every change of a message changes
    // an index.
    sql`alter table messages set (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0.03,
      autovacuum_analyze_scale_factor = 0.03)`,
  ],
} as const;
