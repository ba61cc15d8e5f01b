import { setImmediate as nextTurn } from 'node:timers/promises';

import { sql } from 'kysely';

import { Repository } from '../../store/statements';
import { foldName, NAME_END, nameTest } from './folded-name';

/** Number of students whose names are compared at once, in two milliseconds. */
const COMPARED_AT_ONCE = 1000;

/** A school, class, note or student with its name. */
export interface Named {
  /** As imported. */
  readonly id: string;
  readonly name: string;
}

interface OfSchool {
  /** Canonical URL. */
  readonly school: string;
  readonly schoolName: string;
}

export interface FoundStudent extends Named, OfSchool {
  readonly className: string;
}

export interface Student extends Named, OfSchool {
  /** Null for a student without a class. */
  readonly classId: string | null;
  readonly className: string;
}

/** A device of a student. */
export interface Device {
  readonly id: string;
  readonly platform: string;
  /** When the app last reported its token, in milliseconds since 1970 UTC. */
  readonly lastSeenAt: number | null;
  readonly token: 'valid' | 'invalid' | 'missing';
}

export interface ClassMember extends Named {
  readonly hasDevice: boolean;
  readonly lastSeenAt: number | null;
}

interface Note extends Named, OfSchool {
  readonly type: string;
}

/**
 * The students' names of some rows, each joined to one text, which takes half as long to read as the rows.
 */
interface NamesRow {
  readonly schools: string | null;
  readonly ids: string | null;
  readonly names: string | null;
}

interface StudentKey {
  readonly school: number;
  readonly id: string;
}

const OWN_ID = sql<string>`coalesce(students.spelling, students.id)`;
const CLASS_OF_STUDENT = sql`left join classes on classes.school_id = students.school_id
  and classes.id = students.class_id`;
const DEVICE_OF_STUDENT = sql`left join devices on devices.id = students.device_id and valid = 1
  and token <> ''`;
const SCHOOL_NAME = sql`case when schools.name = '' then base_url else schools.name end`;

/** Reads students, classes and notes for their pages. */
export class People extends Repository {
  /**
   * Finds students by words of their names. No engine compares Turkish letters without their marks, so the
   * names are read and compared here, a thousand at a time: 200,000 take half a second, and nothing waits for
   * it.
   *
   * @param limit - maximum number of students, in the order of schools and ids
   */
  async studentsNamed(text: string, limit: number): Promise<readonly FoundStudent[]> {
    const matches = nameTest(text);
    if (matches === undefined) return [];
    const found: StudentKey[] = [];
    let last: StudentKey | undefined = { school: 0, id: '' };
    while (last !== undefined && found.length < limit) {
      const { keys, folded }: FoldedNames = await this.#namesAfter(last);
      folded.forEach((name, at) => {
        const key = keys[at];
        if (key !== undefined && matches(name)) found.push(key);
      });
      last = keys.length < COMPARED_AT_ONCE ? undefined : keys.at(-1);
      await nextTurn();
    }
    return this.#students(found.slice(0, limit));
  }

  async #namesAfter({ school, id }: StudentKey): Promise<FoldedNames> {
    const joined = ['school_id', 'id', 'full_name'].map(
      (column) => sql`string_agg(cast(${sql.ref(column)} as text), ${sql.lit(NAME_END)})`,
    );
    const [schools, ids, names] = joined;
    const { rows } = await sql<NamesRow>`select ${schools} as schools, ${ids} as ids, ${names} as names from (
      select school_id, id, full_name from students where (school_id, id) > (${sql.lit(school)}, ${id})
      order by school_id, id limit ${sql.lit(COMPARED_AT_ONCE)}) as in_order`.execute(this.connection.kysely);
    const [row] = rows;
    const listIn = (joinedText: string | null | undefined) => joinedText?.split(NAME_END) ?? [];
    const idsOfRows = listIn(row?.ids);
    return {
      keys: listIn(row?.schools).map((each, at) => ({ school: Number(each), id: idsOfRows[at] ?? '' })),
      // At once: folding each name by itself takes twice as long.
      folded: listIn(foldName(row?.names ?? '')),
    };
  }

  async #students(keys: readonly StudentKey[]): Promise<readonly FoundStudent[]> {
    if (keys.length === 0) return [];
    const listed = sql.join(keys.map(({ school, id }) => sql`(${sql.lit(school)}, ${id})`));
    const { rows } = await sql<FoundStudent>`
      select ${OWN_ID} as id, full_name as name, base_url as school, ${SCHOOL_NAME} as "schoolName",
        coalesce(classes.name, '') as "className"
      from students join schools on schools.id = students.school_id ${CLASS_OF_STUDENT}
      where (students.school_id, students.id) in (values ${listed})
      order by students.school_id, students.id`.execute(this.connection.kysely);
    return rows;
  }

  /** Finds schools by words of their names; their ids are URLs. */
  async schoolsNamed(text: string, limit: number): Promise<readonly Named[]> {
    const matches = nameTest(text);
    if (matches === undefined) return [];
    const { rows } = await sql<Named>`select base_url as id, name from schools order by base_url`.execute(
      this.connection.kysely,
    );
    return rows.filter(({ name }) => matches(foldName(name))).slice(0, limit);
  }

  /** @param id - in its canonical form, as below; @returns undefined for an unknown student */
  async student(school: string, id: string): Promise<Student | undefined> {
    const { rows } = await sql<Student>`
      select ${OWN_ID} as id, full_name as name, base_url as school, ${SCHOOL_NAME} as "schoolName",
        coalesce(classes.spelling, class_id) as "classId", coalesce(classes.name, '') as "className"
      from students join schools on schools.id = students.school_id ${CLASS_OF_STUDENT}
      where base_url = ${school} and students.id = ${id}`.execute(this.connection.kysely);
    return rows[0];
  }

  /** Lists the devices of a student, the one that was seen last first. */
  async devicesOf(school: string, student: string): Promise<readonly Device[]> {
    const { rows } = await sql<Device>`
      select coalesce(devices.spelling, devices.id) as id, platform, last_seen as "lastSeenAt",
        case when token = '' then 'missing' when valid = 1 then 'valid' else 'invalid' end as token
      from devices join schools on schools.id = school_id where base_url = ${school}
        and student_id = ${student}
      order by valid desc, last_seen desc nulls last, devices.id`.execute(this.connection.kysely);
    return rows;
  }

  async classOf(school: string, id: string): Promise<(Named & OfSchool) | undefined> {
    const { rows } = await sql<Named & OfSchool>`
      select coalesce(spelling, classes.id) as id, classes.name, base_url as school,
        ${SCHOOL_NAME} as "schoolName"
      from classes join schools on schools.id = school_id
      where base_url = ${school} and classes.id = ${id}`.execute(this.connection.kysely);
    return rows[0];
  }

  /** Counts the students of a class, and those with a device that notes reach. */
  async countMembers(
    school: string,
    classId: string,
  ): Promise<{ readonly students: number; readonly withDevice: number }> {
    const { rows } = await sql<{ readonly students: number; readonly withDevice: number }>`
      select count(*) as students, count(devices.id) as "withDevice"
      from students join schools on schools.id = students.school_id ${DEVICE_OF_STUDENT}
      where base_url = ${school} and class_id = ${classId}`.execute(this.connection.kysely);
    return rows[0] ?? { students: 0, withDevice: 0 };
  }

  /** Lists the students of a class by name. */
  async membersOf(school: string, classId: string, limit: number): Promise<readonly ClassMember[]> {
    const { rows } = await sql<Omit<ClassMember, 'hasDevice'> & { readonly hasDevice: number }>`
      select ${OWN_ID} as id, full_name as name,
        case when devices.id is null then 0 else 1 end as "hasDevice",
        last_seen as "lastSeenAt"
      from students join schools on schools.id = students.school_id ${DEVICE_OF_STUDENT}
      where base_url = ${school} and class_id = ${classId} order by full_name, students.id
      limit ${sql.lit(limit)}`.execute(this.connection.kysely);
    return rows.map((row) => ({ ...row, hasDevice: row.hasDevice === 1 }));
  }

  async note(school: string, id: string): Promise<Note | undefined> {
    const { rows } = await sql<Note>`
      select coalesce(notes.spelling, notes.id) as id, title as name, base_url as school,
        ${SCHOOL_NAME} as "schoolName", coalesce(note_types.name, note_type, '') as type
      from notes join schools on schools.id = school_id left join note_types on note_types.id = note_type
      where base_url = ${school} and notes.id = ${id}`.execute(this.connection.kysely);
    return rows[0];
  }
}

interface FoldedNames {
  readonly keys: readonly StudentKey[];
  /** The name of each of the keys. */
  readonly folded: readonly string[];
}
