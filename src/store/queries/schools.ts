import { type RawBuilder, sql } from 'kysely';

import { EXACT_KEYS } from '../../support/key-collation';
import { Repository } from '../engine/engine';

const URL_PARTS =
  /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?<user>[^/?#]*@)?(?<host>\[[^\]/?#]*\]|[^:/?#@[\]]*)(?::(?<port>\d{0,5}))?(?<path>\/[^?#]*)?(?<query>\?[^#]*)?(?:#.*)?$/isu;

/**
 * Matches plain URLs that are canonical already, as most are: a look takes a tenth of the time that parsing
 * takes.
 */
const PLAIN_URL = /^https?:\/\/[a-z0-9.-]+(?:\/[\w.~%-]+)*$/;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** A blank, or an invisible format character (Unicode's category Cf), such as U+200B and U+202A. */
const INVISIBLE = /[\s\p{Cf}]/u;
const INVISIBLE_AT_AN_END = /^[\s\p{Cf}]|[\s\p{Cf}]$/u;
const INVISIBLE_START = /^[\s\p{Cf}]+/u;
const SLASH_OR_INVISIBLE = /[/\s\p{Cf}]/u;

/**
 * Returns the form in which school URLs are compared and stored: scheme and host in lower case, without
 * default port, trailing slashes and fragment. A text that is not a URL is only trimmed, like a key. Nothing
 * else is changed (no percent-encoding, no dot segments), so that texts that a school may mean differently
 * stay different. The result is a key, never connected to. The function is idempotent.
 */
export function canonicalSchoolUrl(text: string): string {
  if (PLAIN_URL.test(text)) return text;
  const trimmed = canonicalKey(text);
  const parts = URL_PARTS.exec(trimmed)?.groups;
  if (parts === undefined) return trimmed;
  const { scheme = '', user = '', host = '', port = '', path = '', query = '' } = parts;
  if (INVISIBLE.test(user + host)) return trimmed;

  const lowerScheme = scheme.toLowerCase();
  const shownPort = port === '' || port === DEFAULT_PORTS[lowerScheme] ? '' : `:${port}`;
  // Without the fragment, blanks before it are trailing blanks.
  const shownPath = withoutEnd(path, SLASH_OR_INVISIBLE);
  return `${lowerScheme}://${user}${host.toLowerCase()}${shownPort}${shownPath}${canonicalKey(query)}`;
}

/**
 * Removes characters of a set from the end of a text, one by one: a regular expression would take quadratic
 * time on a long run.
 */
function withoutEnd(text: string, set: RegExp): string {
  const characters = Array.from(text);
  return characters.slice(0, characters.findLastIndex((character) => !set.test(character)) + 1).join('');
}

/**
 * Returns true if a text can be stored unchanged: PostgreSQL rejects U+0000, SQLite truncates there, and a
 * lone surrogate has no UTF-8. An import refuses such texts, so a key that contains one matches nothing.
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Returns the text with U+FFFD in place of anything that cannot be stored. */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.replaceAll(/[\p{Surrogate}\0]/gu, '\uFFFD');
}

/** Returns the form of an id in which ids are compared and stored; idempotent. */
export type KeyForm = (id: string) => string;

/**
 * Returns an id as it is shown: without leading and trailing blanks and invisible characters, which come from
 * pasting and from padding in databases. Those inside an id stay: some languages need them. The function is
 * idempotent.
 */
export function canonicalKey(text: string): string {
  if (!INVISIBLE_AT_AN_END.test(text)) return text;
  return withoutEnd(text, INVISIBLE).replace(INVISIBLE_START, '');
}

/** @param fold - further folding, for ids that are not compared exactly */
export function keyForm(fold = EXACT_KEYS.fold): KeyForm {
  return (id) => fold(canonicalKey(id));
}

/** A school with the numbers of its loaded data. */
export interface SchoolSummary {
  /** Canonical URL. */
  readonly url: string;
  readonly name: string;
  readonly students: number;
  /** Devices with a valid token. */
  readonly devices: number;
  readonly withoutDevice: number;
}

/** A class of a school, or its students without a class. */
export interface ClassSummary {
  /** Null for the students without a class. */
  readonly id: string | null;
  readonly name: string;
  readonly students: number;
  readonly withoutDevice: number;
}

/** A student, class or note that an id names; ids are unique within a school only. */
export interface SchoolMatch {
  readonly kind: 'student' | 'class' | 'note';
  /** As imported. */
  readonly id: string;
  /** Canonical URL. */
  readonly school: string;
  readonly schoolName: string;
  /** The name of the student or class, or the title of the note. */
  readonly name: string;
}

/** Counts as a mark note does: a student without a device, or whose device has no valid token. */
const LACKS_DEVICE = sql`case when exists (
    select 1 from devices where devices.id = students.device_id and valid = 1 and token <> ''
  ) then 0 else 1 end`;

export class Schools extends Repository {
  /**
   * Lists schools with their numbers, by URL.
   *
   * @param after - URL after which they begin; empty for the first page
   */
  page(limit: number, after = ''): Promise<readonly SchoolSummary[]> {
    return this.#summaries(sql`base_url > ${after} order by base_url limit ${limit}`);
  }

  /** @returns undefined for an unknown school */
  async of(url: string): Promise<SchoolSummary | undefined> {
    return (await this.#summaries(sql`base_url = ${url}`))[0];
  }

  /** Lists the classes of a school by id, and last its students without a class, if there are any. */
  async listClasses(url: string): Promise<readonly ClassSummary[]> {
    const { rows } = await sql<ClassSummary>`
      select coalesce(classes.spelling, counted.class_id) as id, coalesce(classes.name, '') as name,
        counted.students, counted.lacking as "withoutDevice" from (
        select school_id, class_id, count(*) as students, sum(${LACKS_DEVICE}) as lacking from students
        where school_id = (select id from schools where base_url = ${url}) group by school_id, class_id
      ) as counted left join classes on classes.school_id = counted.school_id
      and classes.id = counted.class_id
      order by counted.class_id is null, counted.class_id`.execute(this.connection.kysely);
    return rows;
  }

  /** Returns how many schools there are, and the name of one of them. */
  async overview(): Promise<{ readonly schools: number; readonly name: string }> {
    const { rows } = await sql<{ schools: number; name: string | null }>`
      select count(*) as schools, min(name) as name from schools`.execute(this.connection.kysely);
    return { schools: rows[0]?.schools ?? 0, name: rows[0]?.name ?? '' };
  }

  /**
   * Returns the students, classes and notes with an id.
   *
   * @param id - in its canonical form
   * @param school - base URL of the only school to search; default: all
   */
  async matching(id: string, limit: number, school?: string): Promise<readonly SchoolMatch[]> {
    const within = school === undefined ? sql`` : sql`and base_url = ${school}`;
    const { rows } = await sql<SchoolMatch>`
      select 'student' as kind, base_url as school, schools.name as "schoolName", full_name as name,
        coalesce(spelling, students.id) as id
        from schools join students on school_id = schools.id where students.id = ${id} ${within}
      union all select 'class', base_url, schools.name, classes.name, coalesce(spelling, classes.id)
        from schools join classes on school_id = schools.id where classes.id = ${id} ${within}
      union all select 'note', base_url, schools.name, title, coalesce(spelling, notes.id)
        from schools join notes on school_id = schools.id where notes.id = ${id} ${within}
      order by 1 desc, 2 limit ${limit}`.execute(this.connection.kysely);
    return rows;
  }

  /** Returns the id of the student of a device in a school, as imported. @param id - in its canonical form */
  async studentOfDevice(id: string, school: string): Promise<string | undefined> {
    const { rows } = await sql<{ id: string }>`select coalesce(students.spelling, students.id) as id
      from devices join schools on schools.id = devices.school_id
        join students on students.school_id = devices.school_id and students.id = devices.student_id
      where devices.id = ${id} and base_url = ${school}`.execute(this.connection.kysely);
    return rows[0]?.id;
  }

  async #summaries(which: RawBuilder<unknown>): Promise<readonly SchoolSummary[]> {
    const { rows } = await sql<SchoolSummary>`
      select base_url as url, name,
        (select count(*) from students where school_id = schools.id) as students,
        coalesce((
          select sum(${LACKS_DEVICE}) from students where school_id = schools.id), 0) as "withoutDevice",
        (select count(*) from devices where school_id = schools.id and valid = 1 and token <> '') as devices
      from schools where ${which}`.execute(this.connection.kysely);
    return rows;
  }
}
