import { type RawBuilder, sql } from 'kysely';

import type { Connection } from '../engine';

/** A school with what is loaded of it. */
export interface SchoolSummary {
  /** Canonical. */
  readonly url: string;
  readonly name: string;
  readonly students: number;
  /** Those whose token is valid. */
  readonly devices: number;
  /** Students without a device to send to. */
  readonly withoutDevice: number;
}

/** A class of a school, or its students in none. */
export interface ClassSummary {
  /** Null: those in no class. */
  readonly id: string | null;
  readonly name: string;
  readonly students: number;
  readonly withoutDevice: number;
}

const LACKS_DEVICE = sql`case when device_id = '' then 1 else 0 end`;

/** The schools as the operator sees them. */
export class Schools {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Some schools by their URLs, in order. @param after - URL behind which they begin; empty for the first ones */
  page(limit: number, after = ''): Promise<readonly SchoolSummary[]> {
    return this.#summaries(sql`base_url > ${after} order by base_url limit ${limit}`);
  }

  /** @returns undefined where it is not known */
  async of(url: string): Promise<SchoolSummary | undefined> {
    return (await this.#summaries(sql`base_url = ${url}`))[0];
  }

  /** The classes of a school by their ids, and last its students in none, where there are some. */
  async classesOf(url: string): Promise<readonly ClassSummary[]> {
    const { rows } = await sql<{ id: string | null; name: string | null; students: number; lacking: number }>`
      select counted.class_id as id, classes.name, counted.students, counted.lacking from (
        select school_id, class_id, count(*) as students, sum(${LACKS_DEVICE}) as lacking from students
        where school_id = (select id from schools where base_url = ${url}) group by school_id, class_id
      ) as counted left join classes on classes.school_id = counted.school_id and classes.id = counted.class_id
      order by counted.class_id is null, counted.class_id`.execute(this.#connection.kysely);
    return rows.map(({ id, name, students, lacking }) => ({
      id,
      name: name ?? '',
      students,
      withoutDevice: lacking,
    }));
  }

  async #summaries(which: RawBuilder<unknown>): Promise<readonly SchoolSummary[]> {
    const { rows } = await sql<{
      url: string;
      name: string;
      students: number;
      lacking: number | null;
      devices: number;
    }>`
      select base_url as url, name,
        (select count(*) from students where school_id = schools.id) as students,
        (select sum(${LACKS_DEVICE}) from students where school_id = schools.id) as lacking,
        (select count(*) from devices where school_id = schools.id and valid = 1) as devices
      from schools where ${which}`.execute(this.#connection.kysely);
    return rows.map(({ url, name, students, lacking, devices }) => ({
      url,
      name,
      students,
      devices,
      withoutDevice: lacking ?? 0,
    }));
  }
}
