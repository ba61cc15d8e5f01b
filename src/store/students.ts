import type { Connection, HotStatement } from './engine';
import { isStorableText } from './storable-text';

export interface Student {
  readonly id: string;
  readonly fullName: string;
  /** The student's current device, empty for none. */
  readonly deviceId: string;
  /** One character. */
  readonly showActive: string;
}

export const STUDENTS_OF_SCHOOL: HotStatement<readonly [id: string, fullName: string, deviceId: string]> = {
  name: 'students_of_school',
  kind: 'read',
  build: (db) =>
    db
      .selectFrom('students')
      .innerJoin('schools', 'schools.id', 'students.school_id')
      .select(['students.id', 'students.full_name', 'students.device_id'])
      .where('schools.base_url', '=', '')
      .where('students.show_active', '=', '')
      .orderBy('students.id'),
};

export class Students {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * The students of a school that carry a flag, by id (compared byte by byte); none for an unknown school.
   *
   * @param schoolKey - canonical URL of the school
   * @param showActive - one character
   */
  async ofSchool(schoolKey: string, showActive: string): Promise<readonly Student[]> {
    if (!isStorableText(schoolKey) || !isStorableText(showActive)) return [];
    const rows = await this.#connection.rows(STUDENTS_OF_SCHOOL, [schoolKey, showActive]);
    return rows.map(([id, fullName, deviceId]) => ({ id, fullName, deviceId, showActive }));
  }
}
