import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

import { type Kysely, type RawBuilder, sql } from 'kysely';

import { type Connection, Repository, StoreError, takeLock } from '../engine/engine';
import { hotRead, type HotStatement } from '../engine/hot-statement';
import type { Database, EngineName } from '../engine/schema';
import { setMark } from '../keeping/marks';
import { ownText } from '../../support/own-text';
import { isStorableText } from './schools';

interface Student {
  readonly id: string;
  readonly fullName: string;
  /** Current device of the student, empty for none. */
  readonly deviceId: string;
  /** One character. */
  readonly showActive: string;
}

/** ASCII's own separator. XML cannot carry it, and imports refuse it, so no value contains it. */
const VALUE_END = '\u001f';

/**
 * Mark with a text that is new after every change to students or their devices: what is read under the same
 * text is equal. It is random, since a database may lose its last changes and then count on from an earlier
 * number.
 */
const VERSION_MARK = 'students';
const VERSION = sql<string | null>`(select detail from marks where name = ${sql.lit(VERSION_MARK)})`;

/** Time for which a process on PostgreSQL may use a version that it has read, in milliseconds. */
const VERSION_REUSED_MS = 10;

const VERSION_OF_STUDENTS = hotRead<undefined, readonly [version: string | null]>(
  'version_of_students',
  () => sql`select ${VERSION}`,
  { single: true, reusedMs: VERSION_REUSED_MS },
);

/**
 * Must be called last in every transaction that changes students, their devices or their schools. Imports
 * and removals then wait {@link untilVisibleToAll} before they return.
 */
export function noteStudentsChanged(kysely: Kysely<Database>): Promise<void> {
  return setMark(kysely, VERSION_MARK, { at: Date.now(), detail: randomUUID() });
}

/** Waits, after a change of students was committed, until no process uses the version before it. */
export async function untilVisibleToAll(engine: EngineName): Promise<void> {
  const end = performance.now() + VERSION_REUSED_MS;
  // A timer may fire early by as much as the event loop was late.
  while (engine === 'postgres' && performance.now() <= end) await delay(VERSION_REUSED_MS);
}

/**
 * Maximum number of students in remembered lists: some 30 MB with what the callers make of them, at most 60
 * MB.
 */
const MAX_STUDENTS = 50_000;
/** A list with longer texts counts as more students. */
const STUDENT_CHARACTERS = 128;
/** Maximum number of remembered tokens: some 20 MB, at most 50 MB. */
const MAX_TOKENS = 50_000;
/** A longer token, with its id, counts as several. */
const TOKEN_CHARACTERS = 400;

/** Values are kept in order of use only above this share of the maximum: the order costs a token 2 %. */
const ORDERED_FROM = 0.75;

/** Remembers values as last read, all of one version; the least recently used are forgotten first. */
class Remembered<Value> {
  readonly #values = new Map<string, Value>();
  readonly #connection: Connection;
  readonly #max: number;
  readonly #sizeOf: (value: Value, name: string) => number;
  #version: string | undefined;
  #size = 0;

  /**
   * @param max - maximum size of all values together
   * @param sizeOf - returns the size of a value; one of size 0 is not remembered
   */
  constructor(connection: Connection, max: number, sizeOf: (value: Value, name: string) => number) {
    this.#connection = connection;
    this.#max = max;
    this.#sizeOf = sizeOf;
  }

  /**
   * Returns the value of a name, which is read unless it is remembered and nothing has changed since.
   *
   * @param read - returns the value and the version it was read with, null for none
   */
  async get(
    name: string,
    read: () => Promise<readonly [value: Value, version: string | null]>,
  ): Promise<Value> {
    const [row] = await this.#connection.rows(VERSION_OF_STUDENTS, undefined);
    const known = this.#find(name, row?.[0]);
    if (known !== undefined) return known;
    const [value, version] = await read();
    this.#keep(name, version, value);
    return value;
  }

  #find(name: string, version: string | null | undefined): Value | undefined {
    if (version !== this.#version) return undefined;
    const value = this.#values.get(name);
    // The order matters only once some may soon be forgotten.
    if (value === undefined || this.#size < this.#max * ORDERED_FROM) return value;
    this.#values.delete(name);
    this.#values.set(name, value);
    return value;
  }

  #keep(name: string, version: string | null, value: Value): void {
    const size = this.#sizeOf(value, name);
    if (version === null || size === 0 || size > this.#max) return;
    if (version !== this.#version) {
      this.#values.clear();
      this.#size = 0;
      this.#version = version;
    }
    const known = this.#values.get(name);
    this.#size += size - (known === undefined ? 0 : this.#sizeOf(known, name));
    this.#values.set(known === undefined ? ownText(name) : name, value);
    for (const [oldest, dropped] of this.#values) {
      if (this.#size <= this.#max) return;
      this.#values.delete(oldest);
      this.#size -= this.#sizeOf(dropped, oldest);
    }
  }
}

interface OfSchool {
  readonly school: string;
  readonly showActive: string;
}

type StudentTexts = readonly [
  ids: string | null,
  fullNames: string | null,
  deviceIds: string | null,
  version: string | null,
];

/**
 * Selects all students as three texts, by id: the drivers of both engines take longer for a row of three
 * values than the database does. SQLite answers for 1,000 students in half the time, splitting included.
 * Names have a text of their own, because a single non-Latin letter doubles the memory of the whole text.
 * Both engines join rows in the order read; an ORDER BY in the aggregates would sort what an index has
 * already sorted. PostgreSQL may read a school in another order than the index, so its query has an order.
 * SQLite would hand over ordered rows one by one, for a third of the time, so its query names the index.
 */
const STUDENTS_OF_SCHOOL: Readonly<Record<EngineName, HotStatement<OfSchool, StudentTexts>>> = {
  sqlite: studentsOfSchool((ofSchool) => sql`students indexed by students_by_flag ${ofSchool}`),
  postgres: studentsOfSchool(
    (ofSchool) => sql`(select id, full_name, device_id from students ${ofSchool} order by id) as in_order`,
  ),
};

/** Lists students with ids as imported. */
const SPELLED_STUDENTS_OF_SCHOOL = studentsOfSchool(
  (ofSchool) => sql`(select coalesce(spelling, id) as id, full_name,
    coalesce((select d.spelling from devices as d where d.id = students.device_id), device_id) as device_id
    from students ${ofSchool} order by students.id) as in_order`,
  'spelled_students_of_school',
);

function studentsOfSchool(
  inOrder: (ofSchool: RawBuilder<unknown>) => RawBuilder<unknown>,
  name = 'students_of_school',
): HotStatement<OfSchool, StudentTexts> {
  const texts = ['id', 'full_name', 'device_id'].map(
    (column) => sql`string_agg(${sql.ref(column)}, ${sql.lit(VALUE_END)})`,
  );
  return hotRead(
    name,
    (param) =>
      sql`select ${sql.join(texts)}, ${VERSION} from ${inOrder(
        sql`where school_id = (select id from schools where base_url = ${param(({ school }) => school)})
          and show_active = ${param(({ showActive }) => showActive)}`,
      )}`,
    { single: true },
  );
}

export class Students extends Repository {
  readonly #statement: HotStatement<OfSchool, StudentTexts>;
  #remembered: Remembered<readonly Student[]> | undefined;

  /** @param hasSpellings - false if every id is stored as imported */
  constructor(connection: Connection, hasSpellings = false) {
    super(connection);
    this.#statement = hasSpellings ? SPELLED_STUDENTS_OF_SCHOOL : STUDENTS_OF_SCHOOL[connection.engine];
  }

  /**
   * Lists the students of a school with a flag, by id (compared byte by byte); none for an unknown school. A
   * list that was read before is read again only after a change.
   *
   * @param school - canonical URL of the school
   * @param showActive - one character
   */
  ofSchool(school: string, showActive: string): Promise<readonly Student[]> {
    if (!isStorableText(school) || !isStorableText(showActive)) return Promise.resolve([]);
    // Created only here, because every transaction has an instance.
    this.#remembered ??= new Remembered(this.connection, MAX_STUDENTS, studentsIn);
    return this.#remembered.get(`${showActive} ${school}`, async () => {
      const [row] = await this.connection.rows(this.#statement, { school, showActive });
      return row === undefined ? [[], null] : [zipStudents(row, showActive), row[3]];
    });
  }
}

/** Returns the number of students that a list counts as. */
function studentsIn(list: readonly Student[], name: string): number {
  if (list.length === 0) return 0;
  const characters = list.reduce(
    (sum, { id, fullName, deviceId }) => sum + id.length + fullName.length + deviceId.length,
    name.length,
  );
  return Math.max(list.length, Math.ceil(characters / STUDENT_CHARACTERS));
}

function zipStudents(
  [ids, fullNames, deviceIds]: readonly (string | null)[],
  showActive: string,
): readonly Student[] {
  // Null means no students, an empty text one student with an empty value.
  const names = fullNames?.split(VALUE_END) ?? [];
  const devices = deviceIds?.split(VALUE_END) ?? [];
  const students = (ids?.split(VALUE_END) ?? []).map((id, at) => ({
    id,
    fullName: names[at] ?? '',
    deviceId: devices[at] ?? '',
    showActive,
  }));
  if (names.length === students.length && devices.length === students.length) return students;
  throw new StoreError('corrupt', 'A student in the database contains a control character.');
}

const TOKEN_OF_DEVICE = hotRead<{ readonly id: string }, readonly [token: string, version: string | null]>(
  'token_of_device',
  (param) => sql`select token, ${VERSION} from devices where id = ${param(({ id }) => id)} and valid = 1`,
  { single: true },
);

/**
 * Selects the current device for the row of `students` in the surrounding statement: the valid one seen last,
 * if tied the one with the smallest id, empty for none.
 */
export const CURRENT_DEVICE: RawBuilder<string> = sql<string>`coalesce((
  select d.id from devices as d
  where d.school_id = students.school_id and d.student_id = students.id and d.valid = 1
  order by d.last_seen desc nulls last, d.id
  limit 1), '')`;

/** Phones, with the push provider's token for each. */
export class Devices extends Repository {
  #remembered: Remembered<string> | undefined;

  /**
   * Returns the push token of a device; empty for a device that is unknown or whose token is dead. A token
   * that was read before is read again only after a change.
   */
  tokenOf(id: string): Promise<string> {
    if (!isStorableText(id)) return Promise.resolve('');
    // An unknown device is not remembered: callers can make up any number of them.
    this.#remembered ??= new Remembered(this.connection, MAX_TOKENS, (token, name) =>
      token === '' ? 0 : Math.ceil((token.length + name.length) / TOKEN_CHARACTERS),
    );
    return this.#remembered.get(id, async () => {
      const [row] = await this.connection.rows(TOKEN_OF_DEVICE, { id });
      return row ?? ['', null];
    });
  }

  /**
   * Invalidates a device's token, in a transaction, because the push provider declared it dead; its student's
   * current device then changes to another one, or to none. A device with a newer token stays unchanged.
   *
   * @returns true if the token was in use
   */
  async invalidateToken(id: string, token: string): Promise<boolean> {
    const { kysely, engine } = this.connection;
    // Excludes imports of devices, which also determine current devices.
    await takeLock(kysely, engine, ['devices']);
    const [device] = await kysely
      .updateTable('devices')
      .set({ valid: 0 })
      .where('id', '=', id)
      .where('token', '=', token)
      .where('valid', '=', 1)
      .returning(['school_id', 'student_id'])
      .execute();
    if (device === undefined) return false;
    await sql`update students set device_id = ${CURRENT_DEVICE}
      where school_id = ${device.school_id} and id = ${device.student_id}`.execute(kysely);
    await noteStudentsChanged(kysely);
    return true;
  }
}
