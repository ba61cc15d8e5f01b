import { sql } from 'kysely';

import type { Connection, HotStatement } from '../engine';

/** A code that was taken on for a telephone. */
export interface SentCode {
  /** The message's. */
  readonly id: string;
  /** The same for the same code; null when it is erased. */
  readonly digest: string | null;
  readonly createdAt: number;
  /** Whether it was sent, or still may be. */
  readonly alive: boolean;
}

const OF_PHONE: HotStatement<
  { readonly phone: string; readonly since: number },
  readonly [id: string, digest: string | null, createdAt: number, state: string]
> = {
  name: 'codes_of_phone',
  kind: 'read',
  build: (_db, param) => sql`select id, dedupe_key, created_at, state from messages
    where recipient = ${param(({ phone }) => phone)} and created_at > ${param(({ since }) => since)}
      and channel = 'sms'
    order by created_at desc`,
};

const COUNT_CODE: HotStatement<{ readonly day: number }, readonly [codes: number]> = {
  name: 'count_code',
  kind: 'write',
  build: (_db, param) => sql`insert into daily_codes (day, codes) values (${param(({ day }) => day)}, 1)
    on conflict (day) do update set codes = daily_codes.codes + 1
    returning codes`,
};

const DEAD_STATES: readonly string[] = ['failed', 'expired', 'suppressed'];

/** What the limits on codes go by; to be asked in the transaction that stores the next one. */
export class SentCodes {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The codes for a telephone since a moment, newest first. */
  async ofPhone(phone: string, since: number): Promise<readonly SentCode[]> {
    const rows = await this.#connection.rows(OF_PHONE, { phone, since });
    return rows.map(([id, digest, createdAt, state]) => ({
      id,
      digest,
      createdAt,
      alive: !DEAD_STATES.includes(state),
    }));
  }

  /**
   * Counts one more code, for all telephones together, until the transaction ends the only one to count.
   *
   * @param day - days since 1970 UTC
   * @returns how many there are now on that day
   */
  async countOn(day: number): Promise<number> {
    const [row] = await this.#connection.rows(COUNT_CODE, { day });
    return row?.[0] ?? 0;
  }
}
