import { sql } from 'kysely';

import type { Calendar } from '../support/calendar';
import { forgetUndo } from './csv/import-undo';
import { type Connection, type Engine, takeLock } from './engine/engine';
import { OF_DEVICES } from './outbox/channels';
import { Refusals } from './outbox/refusals';
import { REMOVAL_STEP, removeOfPerson } from './outbox/removal';
import { noteErasure } from './outbox/retention';
import { isSamePhone, SentCodes } from './outbox/sent-codes';
import { CURRENT_DEVICE } from './queries/devices';
import { noteStudentsChanged, untilVisibleToAll } from './queries/students-version';

/** The person whose data is erased. */
export type ForgetSubject =
  /** In E.164, or the digits of a number without a known country. */
  | { readonly phone: string }
  | { readonly device: string }
  /** The school by its canonical URL. */
  | { readonly school: string; readonly student: string };

export interface ForgetOptions {
  /** Only counts, and changes nothing. */
  readonly dryRun: boolean;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  /** Determines the day under which each removed message is counted. */
  readonly calendar: Calendar;
}

/** Numbers of rows removed, or to be removed. */
export interface ForgetReport {
  readonly students: number;
  readonly devices: number;
  readonly messages: number;
  /** Messages among them that were still waiting. */
  readonly cancelled: number;
  /** Codes to the phone that were refused. */
  readonly refused: number;
  /** Messages that a worker is currently sending, which therefore stay. */
  readonly sending: number;
}

/** A person's messages are found by the index of unmasked numbers: masked ones do not identify anyone. */
const ALL_TIME = -1;

/**
 * Erases a person's data from the store: the student, the devices, and the messages to them. Waiting messages
 * are cancelled. SendMarkNotes requests name a class, and stay.
 */
export async function forget(
  engine: Engine,
  subject: ForgetSubject,
  options: ForgetOptions,
): Promise<ForgetReport> {
  const report = await remove(engine, subject, options);
  const { students, devices, messages, cancelled, refused } = report;
  if (!options.dryRun && students + devices + messages + refused > 0) {
    const removed = { students, devices, messages, cancelled, refused };
    await engine.write(({ kysely }) => noteErasure(kysely, { command: 'forget', removed, at: options.now }));
  }
  return report;
}

async function remove(engine: Engine, subject: ForgetSubject, options: ForgetOptions): Promise<ForgetReport> {
  if ('phone' in subject) {
    const codes = await new SentCodes(engine.direct).endingLike(subject.phone, ALL_TIME);
    const ids = codes.filter(({ phone }) => isSamePhone(phone, subject.phone)).map(({ id }) => id);
    const refused = await forgetRefusals(engine, subject.phone, options);
    return { students: 0, devices: 0, ...(await forgetMessages(engine, ids, options)), refused };
  }
  const { students, devices } = await engine.write(async (connection) => {
    const found = await ownedBy(connection, subject);
    if (!options.dryRun) {
      await removeOwned(connection, found);
      // It may bring back what is erased.
      await forgetUndo(connection.kysely, options.now);
    }
    return found;
  });
  if (!options.dryRun) await untilVisibleToAll(engine.name);
  // A device removed earlier may still have messages.
  const ids = [...devices.map(({ id }) => id), ...('device' in subject ? [subject.device] : [])];
  const messages = await forgetMessages(engine, await pushesTo(engine, ids), options);
  return { students: students.length, devices: devices.length, ...messages, refused: 0 };
}

interface Owned {
  readonly students: readonly { readonly school_id: number; readonly id: string }[];
  readonly devices: readonly {
    readonly id: string;
    readonly school_id: number;
    readonly student_id: string;
  }[];
}

async function ownedBy(
  { kysely, engine }: Connection,
  subject: Exclude<ForgetSubject, { readonly phone: string }>,
): Promise<Owned> {
  // Excludes imports, locking in the same order.
  await takeLock(kysely, engine, ['students', 'devices']);
  const devices = kysely.selectFrom('devices').select(['id', 'school_id', 'student_id']);
  if ('device' in subject) {
    return { students: [], devices: await devices.where('id', '=', subject.device).execute() };
  }
  const students = await kysely
    .selectFrom('students')
    .innerJoin('schools', 'schools.id', 'students.school_id')
    .select(['students.school_id', 'students.id'])
    .where('schools.base_url', '=', subject.school)
    .where('students.id', '=', subject.student)
    .execute();
  const [student] = students;
  if (student === undefined) return { students, devices: [] };
  return {
    students,
    devices: await devices
      .where('school_id', '=', student.school_id)
      .where('student_id', '=', student.id)
      .execute(),
  };
}

async function removeOwned({ kysely }: Connection, { students, devices }: Owned): Promise<void> {
  for (const { id, school_id, student_id } of devices) {
    await kysely.deleteFrom('devices').where('id', '=', id).execute();
    await sql`update students set device_id = ${CURRENT_DEVICE}
      where school_id = ${school_id} and id = ${student_id}`.execute(kysely);
  }
  for (const { school_id, id } of students) {
    await kysely.deleteFrom('students').where('school_id', '=', school_id).where('id', '=', id).execute();
  }
  if (students.length + devices.length > 0) await noteStudentsChanged(kysely);
}

async function pushesTo(engine: Engine, devices: readonly string[]): Promise<readonly string[]> {
  if (devices.length === 0) return [];
  return engine.session(async ({ kysely }) => {
    const rows = await kysely
      .selectFrom('messages')
      .select('id')
      .where(OF_DEVICES)
      .where('recipient', 'in', devices)
      .execute();
    return rows.map(({ id }) => id);
  });
}

function forgetRefusals(engine: Engine, phone: string, { dryRun }: ForgetOptions): Promise<number> {
  return engine.write(async (connection) => {
    const refusals = new Refusals(connection);
    const found = await refusals.ofPhone(phone);
    if (!dryRun) await refusals.remove(phone);
    return found.reduce((sum, { times }) => sum + times, 0);
  });
}

async function forgetMessages(
  engine: Engine,
  ids: readonly string[],
  options: ForgetOptions,
): Promise<Pick<ForgetReport, 'messages' | 'cancelled' | 'sending'>> {
  const sum = { messages: 0, cancelled: 0, sending: 0 };
  for (let at = 0; at < ids.length; at += REMOVAL_STEP) {
    const step = await engine.write((connection) =>
      removeOfPerson(connection, ids.slice(at, at + REMOVAL_STEP), options),
    );
    sum.messages += step.messages;
    sum.cancelled += step.cancelled;
    sum.sending += step.sending;
  }
  return sum;
}
