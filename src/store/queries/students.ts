import { type RawBuilder, sql } from 'kysely';

import { type Connection, type HotStatement, StoreError } from '../engine';
import { isStorableText } from './stored-text';

export interface Student {
  readonly id: string;
  readonly fullName: string;
  /** The student's current device, empty for none. */
  readonly deviceId: string;
  /** One character. */
  readonly showActive: string;
}

/** ASCII's own separator. XML cannot carry it, so an import lets none in: it stands in no value. */
const VALUE_END = '\u001f';

/**
 * All students in three texts: the drivers of both engines need more for a row of three values than the database
 * does. SQLite answers for 1,000 students in half the time, split included. The names have a text of their own, since
 * where one letter is not Latin all of a text takes twice the memory. Both engines join the rows in the
 * order of the inner query; an order of the aggregates' own makes them sort what an index has sorted already.
 */
export const STUDENTS_OF_SCHOOL: HotStatement<
  { readonly school: string; readonly showActive: string },
  readonly [ids: string | null, fullNames: string | null, deviceIds: string | null]
> = {
  name: 'students_of_school',
  kind: 'read',
  single: true,
  build: (db, param) =>
    db
      .selectFrom(
        db
          .selectFrom('students')
          .innerJoin('schools', 'schools.id', 'students.school_id')
          .select(['students.id', 'students.full_name', 'students.device_id'])
          .where(
            'schools.base_url',
            '=',
            param(({ school }) => school),
          )
          .where(
            'students.show_active',
            '=',
            param(({ showActive }) => showActive),
          )
          .orderBy('students.id')
          .as('in_order'),
      )
      .select([joined('id').as('ids'), joined('full_name').as('names'), joined('device_id').as('devices')]),
};

function joined(column: 'id' | 'full_name' | 'device_id'): RawBuilder<string | null> {
  return sql<string | null>`string_agg(${sql.ref(column)}, ${sql.lit(VALUE_END)})`;
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
    const [row] = await this.#connection.rows(STUDENTS_OF_SCHOOL, { school, showActive });
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
  throw new StoreError('corrupt', 'A student of the database holds a control character.');
}
