import { type Kysely, type Migration, sql } from 'kysely';

import { COLUMN_TYPES, type EngineName } from '../engine/schema';

/** Most characters of a school's URL that its index holds: an index entry of PostgreSQL has 2,700 bytes. */
const INDEXED_SCHOOL = sql`substr(school, 1, 200)`;

/** The school's data, and the table of what is to be delivered. */
export function initial(engine: EngineName): Migration {
  const { text, integer, generatedId } = COLUMN_TYPES[engine];
  // Rows kept in the order of the primary key: the tables are read by it, and need no second tree.
  const byKey = engine === 'sqlite' ? sql`without rowid` : sql``;

  return {
    async up(db: Kysely<unknown>): Promise<void> {
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
        .modifyEnd(byKey)
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
        .modifyEnd(byKey)
        .execute();
      await db.schema
        .createIndex('students_by_flag')
        .on('students')
        .columns(['school_id', 'show_active', 'id'])
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
        .addForeignKeyConstraint('devices_student', ['school_id', 'student_id'], 'students', [
          'school_id',
          'id',
        ])
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
        .modifyEnd(byKey)
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
        .modifyEnd(byKey)
        .execute();

      await db.schema
        .createTable('messages')
        .addColumn('id', text, (column) => column.notNull().primaryKey())
        .addColumn('channel', text, (column) => column.notNull())
        .addColumn('state', text, (column) => column.notNull())
        .addColumn('priority', 'integer', (column) => column.notNull())
        .addColumn('recipient', text, (column) => column.notNull())
        .addColumn('school', text, (column) => column.notNull())
        .addColumn('payload', text)
        .addColumn('dedupe_key', text)
        .addColumn('attempts', 'integer', (column) => column.notNull())
        .addColumn('next_attempt_at', integer, (column) => column.notNull())
        .addColumn('lease_owner', text)
        .addColumn('lease_until', integer)
        .addColumn('expires_at', integer, (column) => column.notNull())
        .addColumn('provider_id', text)
        .addColumn('last_error', text)
        .addColumn('created_at', integer, (column) => column.notNull())
        .addColumn('updated_at', integer, (column) => column.notNull())
        .execute();
      for (const index of MESSAGE_INDEXES) await index.execute(db);
    },
  };
}

/** One per question that is asked while others wait; the first two hold only what is still to be sent. */
const MESSAGE_INDEXES = [
  // claim: what is due, codes before marks
  sql`create index messages_due on messages (priority, next_attempt_at, id) where state = 'queued'`,
  // leases that ran out
  sql`create index messages_leased on messages (lease_until) where state = 'sending'`,
  // send policy: how many for this phone since
  sql`create index messages_by_recipient on messages (recipient, created_at)`,
  // the same again?
  sql`create index messages_by_dedupe_key on messages (dedupe_key, created_at) where dedupe_key is not null`,
  // the operator's lists; an id sorts by age
  sql`create index messages_by_state on messages (state, id)`,
  sql`create index messages_by_school on messages (${INDEXED_SCHOOL}, id) where school <> ''`,
];
