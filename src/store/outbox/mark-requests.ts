import { type Kysely, sql } from 'kysely';

import { Repository, takeLock } from '../engine/engine';
import type { Database, EngineName } from '../engine/schema';
import { hotRead } from '../engine/hot-statement';
import type { NamedThing } from './reasons';

/** A note for a class, as named by SendMarkNotes. */
interface NoteForClass {
  /** Canonical URL. */
  readonly school: string;
  readonly classId: string;
  readonly note: string;
}

/** Content of a push message, and the token of its phone. */
interface PushContent {
  readonly token: string;
  readonly platform: string;
  /** Id of the note, as imported. */
  readonly note: string;
  readonly title: string;
  readonly text: string;
}

/**
 * Shared lock for checking what SendMarkNotes requests lack; loading data takes it exclusively to wake
 * waiting requests. So no request that did not see the data can begin to wait after the wake-up.
 */
const WAITING_REQUESTS = 'waiting marks';

/** No row if the note or the device is missing; no token if the device has no valid one. */
const CONTENT = hotRead<
  { readonly device: string; readonly school: string; readonly note: string },
  readonly [token: string | null, platform: string | null, note: string, title: string, text: string]
>(
  'push_content',
  (param) => sql`select devices.token, devices.platform, coalesce(notes.spelling, notes.id), notes.title,
      notes.text
    from notes
    join schools on schools.id = notes.school_id
    left join devices on devices.id = ${param(({ device }) => device)} and devices.valid = 1
    where schools.base_url = ${param(({ school }) => school)} and notes.id = ${param(({ note }) => note)}`,
);

const RESOLVED_SINCE = hotRead<{ readonly dedupeKey: string; readonly since: number }, readonly [id: string]>(
  'resolved_since',
  (param) => sql`select id from messages
    where channel = 'mark' and dedupe_key = ${param(({ dedupeKey }) => dedupeKey)}
      and resolved_at > ${param.integer(({ since }) => since)} limit 1`,
);

/** Requests waiting for data: of one school, known or not, or of all unknown schools. */
export type WaitingRequests = { readonly school: string } | 'of unknown schools';

/** Queries for turning SendMarkNotes requests into push messages. */
export class MarkRequests extends Repository {
  /**
   * Returns the first thing named by a request that is missing from the store, or undefined. Must be called
   * in the transaction that postpones the request, so that data loaded meanwhile wakes it.
   */
  async missing({ school, classId, note }: NoteForClass): Promise<NamedThing | undefined> {
    const { kysely, engine } = this.connection;
    await takeLock(kysely, engine, [WAITING_REQUESTS], 'shared');
    const found = await kysely
      .selectFrom('schools')
      .leftJoin('classes', (join) =>
        join.onRef('classes.school_id', '=', 'schools.id').on('classes.id', '=', classId),
      )
      .leftJoin('notes', (join) => join.onRef('notes.school_id', '=', 'schools.id').on('notes.id', '=', note))
      .select(['classes.id as class', 'notes.id as note'])
      .where('schools.base_url', '=', school)
      .executeTakeFirst();
    if (found === undefined) return 'school';
    if (found.class === null) return 'class';
    return found.note === null ? 'note' : undefined;
  }

  /**
   * Counts the requests that wait for data.
   *
   * @param most - maximum to count to
   * @param now - milliseconds since 1970 UTC
   */
  async waiting(which: WaitingRequests, most: number, now: number): Promise<number> {
    const { kysely } = this.connection;
    const some = kysely
      .selectFrom('messages')
      .select('id')
      .where('state', '=', sql.lit('queued'))
      .where('channel', '=', 'mark')
      .where('next_attempt_at', '>', now)
      .where((that) =>
        which === 'of unknown schools'
          ? that('school', 'not in', that.selectFrom('schools').select('base_url'))
          : that('school', '=', which.school),
      )
      .limit(most);
    const { requests } = await kysely
      .selectFrom(some.as('some'))
      .select(({ fn }) => fn.countAll<number>().as('requests'))
      .executeTakeFirstOrThrow();
    return requests;
  }

  /**
   * Returns true if push messages were made from a request with the same key since a moment, whatever their
   * outcome.
   */
  async resolvedSince(dedupeKey: string, since: number): Promise<boolean> {
    const [row] = await this.connection.rows(RESOLVED_SINCE, { dedupeKey, since });
    return row !== undefined;
  }

  /** Lists the current devices with a token of the students of a class. */
  async devicesOf({ school, classId }: NoteForClass): Promise<readonly string[]> {
    const rows = await this.connection.kysely
      .selectFrom('students')
      .innerJoin('schools', 'schools.id', 'students.school_id')
      .innerJoin('devices', 'devices.id', 'students.device_id')
      .select('students.device_id')
      .where('schools.base_url', '=', school)
      .where('students.class_id', '=', classId)
      .where('devices.valid', '=', 1)
      .where('devices.token', '<>', '')
      .execute();
    return rows.map(({ device_id }) => device_id);
  }

  async studentsOf({ school, classId }: NoteForClass): Promise<number> {
    const { students } = await this.connection.kysely
      .selectFrom('students')
      .innerJoin('schools', 'schools.id', 'students.school_id')
      .select(({ fn }) => fn.countAll<number>().as('students'))
      .where('schools.base_url', '=', school)
      .where('students.class_id', '=', classId)
      .executeTakeFirstOrThrow();
    return students;
  }

  /**
   * Records that push messages were made from a request, in the transaction that stores them.
   *
   * @param withoutDevice - number of students in the class without a device
   * @param now - milliseconds since 1970 UTC
   */
  async resolved(id: string, withoutDevice: number, now: number): Promise<void> {
    await this.connection.kysely
      .updateTable('messages')
      .set({ resolved_at: now, without_device: withoutDevice })
      .where('id', '=', id)
      .execute();
  }

  /**
   * Returns the content of a push message, or the part that has disappeared since: the note, or the device's
   * valid token.
   */
  async content(device: string, school: string, noteId: string): Promise<PushContent | 'note' | 'token'> {
    const [row] = await this.connection.rows(CONTENT, { device, school, note: noteId });
    if (row === undefined) return 'note';
    const [token, platform, note, title, text] = row;
    if (token === null || token === '' || platform === null) return 'token';
    return { token, platform, note, title, text };
  }
}

/**
 * Lets requests that wait for data retry at once, if their school is known: for the others nothing has
 * changed, and there may be many. Must be called last in the transaction that loads the data, since others
 * wait for it from then on.
 *
 * @param now - milliseconds since 1970 UTC
 */
export async function wakeMarkRequests(
  transaction: Kysely<Database>,
  engine: EngineName,
  now: number,
): Promise<void> {
  await takeLock(transaction, engine, [WAITING_REQUESTS]);
  await transaction
    .updateTable('messages')
    .set({ next_attempt_at: now })
    .where('state', '=', sql.lit('queued'))
    .where('channel', '=', 'mark')
    .where('next_attempt_at', '>', now)
    .where('school', 'in', (known) => known.selectFrom('schools').select('base_url'))
    .execute();
}
