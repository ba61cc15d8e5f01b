import { FEATURES } from '../../src/features';
import { openSqlite } from '../../src/store/sqlite/sqlite-engine';
import { openDatabase } from '../../src/store/sqlite/open-database';
import { migrate } from '../../src/store/migrations/migrate';
import { CompiledQuery, sql } from 'kysely';
import type { Connection, Engine } from '../../src/store/engine/engine';
import { wakeMarkRequests } from '../../src/store/outbox/mark-requests';
import { PostgresModel } from './postgres-model';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;

interface School {
  readonly url: string;
  readonly timeZone: string;
  /** Says how far its clock is ahead of UTC; these have no summer time. */
  readonly offsetMinutes: number;
  readonly quiet: { readonly from: number; readonly until: number } | undefined;
}

/** Without the feature, no note waits for a morning. */
export const HAS_NIGHTS = 'hours' in FEATURES;
const NIGHT = HAS_NIGHTS ? { from: 21 * 60, until: 7 * 60 } : undefined;

export const SCHOOLS: readonly [School, School, School] = [
  { url: 'https://tokyo.example', timeZone: 'Asia/Tokyo', offsetMinutes: 540, quiet: NIGHT },
  { url: 'https://kolkata.example', timeZone: 'Asia/Kolkata', offsetMinutes: 330, quiet: NIGHT },
  { url: 'https://utc.example', timeZone: 'UTC', offsetMinutes: 0, quiet: undefined },
];

export const CLASSES = ['1A', '1B'] as const;
/** Loaded only in the course of a simulation. */
export const LATE_NOTE = 'N9';
export const NOTES = ['N1', 'N2', LATE_NOTE] as const;
const STUDENTS_OF_A_CLASS = 3;

/** The contents of DELIVERY_FILE. */
export const DELIVERY_FILE = {
  schools: Object.fromEntries(
    SCHOOLS.map(({ url, timeZone, quiet }) => [
      url,
      HAS_NIGHTS ? { timeZone, quietHours: quiet === undefined ? 'off' : '21:00-07:00' } : {},
    ]),
  ),
};

/** When notes may be sent, by arithmetic alone: now, or at the end of the quiet hours. */
export function quietEnd(url: string, now: number): number {
  const school = SCHOOLS.find((each) => each.url === url);
  if (school?.quiet === undefined) return now;
  const { offsetMinutes, quiet } = school;
  const local = now + offsetMinutes * MINUTE_MS;
  const minute = (local / MINUTE_MS) % DAY_MINUTES;
  if (minute >= quiet.until && minute < quiet.from) return now;
  const midnight = local - minute * MINUTE_MS;
  const end = midnight + (quiet.until + (minute >= quiet.from ? DAY_MINUTES : 0)) * MINUTE_MS;
  return Math.round(end) - offsetMinutes * MINUTE_MS;
}

export function devicesOf(url: string, classId: string): readonly string[] {
  return Array.from({ length: STUDENTS_OF_A_CLASS }, (_, at) => `${url} ${classId} ${String(at)}`);
}

/** A database in memory with the school's data in it, to be used by one world after the other. */
export interface SchoolDatabase {
  readonly engine: Engine;
  /** Takes everything away that the world before has left. */
  reset(): Promise<void>;
}

export async function openSqliteSchool(): Promise<SchoolDatabase> {
  const engine = openSqlite({ path: ':memory:', mustExist: false });
  await engine.session(migrate);
  return filled(engine);
}

export async function openPostgresSchool(): Promise<SchoolDatabase & { readonly engine: PostgresModel }> {
  const database = openDatabase(':memory:');
  const migrated = openSqlite({ path: ':memory:', mustExist: false });
  await migrated.session(migrate);
  const { rows } = await migrated.session(({ kysely }) =>
    sql<{ readonly sql: string }>`select sql from sqlite_schema
      where sql is not null and name not like 'sqlite_%'`.execute(kysely),
  );
  await migrated.close();
  for (const { sql: statement } of rows) database.exec(statement);
  const engine = new PostgresModel(database);
  return { ...(await filled(engine)), engine };
}

async function filled(engine: Engine): Promise<SchoolDatabase> {
  await engine.write(async ({ kysely }) => {
    for (const [at, { url }] of SCHOOLS.entries()) {
      const school_id = at + 1;
      await kysely.insertInto('schools').values({ id: school_id, base_url: url, name: url }).execute();
      for (const classId of CLASSES) {
        await kysely.insertInto('classes').values({ school_id, id: classId, name: classId }).execute();
        for (const device of devicesOf(url, classId)) {
          const student = { school_id, id: device, full_name: 'A B', show_active: 'Y', class_id: classId };
          await kysely
            .insertInto('students')
            .values({ ...student, device_id: device })
            .execute();
          const token = { token: device, platform: 'android', last_seen: null, valid: 1 };
          await kysely
            .insertInto('devices')
            .values({ id: device, school_id, student_id: device, ...token })
            .execute();
        }
      }
      for (const id of NOTES) {
        if (id === LATE_NOTE) continue;
        await kysely
          .insertInto('notes')
          .values({ school_id, id, note_type: null, title: id, text: id })
          .execute();
      }
    }
  });
  const clearing = [
    'delete from messages',
    'delete from caller_codes',
    'delete from code_traffic',
    'delete from refused_codes',
    'delete from blocked_areas',
    'delete from early_receipts',
    'update devices set valid = 1 where valid = 0',
    'update students set device_id = id where device_id <> id',
    `delete from notes where id = '${LATE_NOTE}'`,
  ];
  const reset = (): Promise<void> =>
    engine.write(async ({ kysely }) => {
      for (const statement of clearing) await kysely.executeQuery(CompiledQuery.raw(statement));
    });
  return { engine, reset };
}

/** Does what an import does when the note is in its files at last. */
export async function loadLateNote({ kysely, engine }: Connection, now: number): Promise<void> {
  for (const at of SCHOOLS.keys()) {
    await kysely
      .insertInto('notes')
      .values({ school_id: at + 1, id: LATE_NOTE, note_type: null, title: LATE_NOTE, text: LATE_NOTE })
      .execute();
  }
  await wakeMarkRequests(kysely, engine, now);
}
