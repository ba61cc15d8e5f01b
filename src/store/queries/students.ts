import { type RawBuilder, sql } from 'kysely';

import { type Connection, StoreError, takeLock } from '../engine/engine';
import type { HotStatement } from '../engine/hot-statement';
import type { EngineName } from '../engine/schema';
import { isStorableText } from './schools';

interface Student {
  readonly id: string;
  readonly fullName: string;
  /** The student's current device, empty for none. */
  readonly deviceId: string;
  /** One character. */
  readonly showActive: string;
}

/** ASCII's own separator. XML cannot carry it, so an import lets none in: it stands in no value. */
const VALUE_END = '\u001f';

interface OfSchool {
  readonly school: string;
  readonly showActive: string;
}

type StudentTexts = readonly [ids: string | null, fullNames: string | null, deviceIds: string | null];

/**
 * By engine, all students in three texts, by id: the drivers of both need more for a row of three values than the
 * database does. SQLite answers for 1,000 students in half the time, split included. The names have a text of their
 * own, since where one letter is not Latin all of a text takes twice the memory. Both engines join rows as they come;
 * an order of the aggregates' own makes them sort what an index has sorted already. PostgreSQL may read a school in
 * another order than the index, and is told the order. SQLite would hand on row by row what it is to put in order, for
 * a third of the time, and is told the index.
 */
const STUDENTS_OF_SCHOOL: Readonly<Record<EngineName, HotStatement<OfSchool, StudentTexts>>> = {
  sqlite: studentsOfSchool((ofSchool) => sql`students indexed by students_by_flag ${ofSchool}`),
  postgres: studentsOfSchool(
    (ofSchool) => sql`(select id, full_name, device_id from students ${ofSchool} order by id) as in_order`,
  ),
};

function studentsOfSchool(
  inOrder: (ofSchool: RawBuilder<unknown>) => RawBuilder<unknown>,
): HotStatement<OfSchool, StudentTexts> {
  const texts = ['id', 'full_name', 'device_id'].map(
    (column) => sql`string_agg(${sql.ref(column)}, ${sql.lit(VALUE_END)})`,
  );
  return {
    name: 'students_of_school',
    kind: 'read',
    single: true,
    build: (_db, param) =>
      sql`select ${sql.join(texts)} from ${inOrder(
        sql`where school_id = (select id from schools where base_url = ${param(({ school }) => school)})
          and show_active = ${param(({ showActive }) => showActive)}`,
      )}`,
  };
}

export class Students {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * The students of a school that carry a flag, by id (compared byte by byte); none for an unknown school.
   *
   * @param school - canonical URL of the school
   * @param showActive - one character
   */
  async ofSchool(school: string, showActive: string): Promise<readonly Student[]> {
    if (!isStorableText(school) || !isStorableText(showActive)) return [];
    const [row] = await this.#connection.rows(STUDENTS_OF_SCHOOL[this.#connection.engine], {
      school,
      showActive,
    });
    return row === undefined ? [] : zipStudents(row, showActive);
  }
}

function zipStudents(
  [ids, fullNames, deviceIds]: readonly (string | null)[],
  showActive: string,
): readonly Student[] {
  // Null stands for no students, an empty text for one whose value is empty.
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

const TOKEN_OF_DEVICE: HotStatement<{ readonly id: string }, readonly [token: string]> = {
  name: 'token_of_device',
  kind: 'read',
  single: true,
  build: (db, param) =>
    db
      .selectFrom('devices')
      .select('token')
      .where(
        'id',
        '=',
        param(({ id }) => id),
      )
      .where('valid', '=', sql.lit(1)),
};

/**
 * The current device of the row of `students` in the surrounding statement: the valid one seen last, of
 * equals the one with the smallest id, empty for none.
 */
export const CURRENT_DEVICE: RawBuilder<string> = sql<string>`coalesce((
  select d.id from devices as d
  where d.school_id = students.school_id and d.student_id = students.id and d.valid = 1
  order by d.last_seen desc nulls last, d.id
  limit 1), '')`;

/** Telephones, and the token under which the push provider knows each. */
export class Devices {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The push token of a device; empty for a device that is unknown or whose token is dead. */
  async tokenOf(id: string): Promise<string> {
    if (!isStorableText(id)) return '';
    const [row] = await this.#connection.rows(TOKEN_OF_DEVICE, { id });
    return row?.[0] ?? '';
  }

  /**
   * Takes a device's token out of use, in a transaction, because the push provider declared it dead; its student's
   * current device is then another one, or none. A device that has got another token in the meantime stays as it
   * is.
   *
   * @returns whether the token was in use
   */
  async invalidateToken(id: string, token: string): Promise<boolean> {
    const { kysely, engine } = this.#connection;
    // Against an import of devices, which works out current devices as well.
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
    return true;
  }
}
