import { type RawBuilder, sql } from 'kysely';

import { type Connection, Repository, StoreError } from '../engine/engine';
import { hotRead, type HotStatement } from '../engine/hot-statement';
import type { EngineName } from '../engine/schema';
import { Remembered } from './remembered';
import { isStorableText } from './schools';
import { VERSION } from './students-version';

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
 * Maximum number of students in remembered lists: some 30 MB with what the callers make of them, at most 60
 * MB.
 */
const MAX_STUDENTS = 50_000;
/** A list with longer texts counts as more students. */
const STUDENT_CHARACTERS = 128;

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
