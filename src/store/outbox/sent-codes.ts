import { sql } from 'kysely';

import type { Connection, HotStatement } from '../engine/engine';

/** A code that was taken on for a telephone. */
export interface SentCode {
  /** The message's. */
  readonly id: string;
  /** The same for the same code; null when it is forgotten. */
  readonly digest: string | null;
  readonly createdAt: number;
  /** Whether it was sent, or still may be. */
  readonly alive: boolean;
}

const OF_PHONE: HotStatement<readonly [id: string, digest: string | null, createdAt: number, state: string]> =
  {
    name: 'codes_of_phone',
    kind: 'read',
    build: (db) =>
      db
        .selectFrom('messages')
        .select(['id', 'dedupe_key', 'created_at', 'state'])
        .where('recipient', '=', '')
        .where('created_at', '>', 0)
        .where('channel', '=', sql.lit('sms'))
        .orderBy('created_at', 'desc'),
  };

const COUNT_TODAY: HotStatement<readonly [codes: number]> = {
  name: 'count_code',
  kind: 'write',
  build: (db) =>
    db
      .insertInto('daily_codes')
      .values({ day: 0, codes: sql.lit(1) })
      .onConflict((conflict) =>
        conflict.column('day').doUpdateSet(({ eb }) => ({ codes: eb('daily_codes.codes', '+', sql.lit(1)) })),
      )
      .returning('codes'),
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
    const rows = await this.#connection.rows(OF_PHONE, [phone, since]);
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
    const [row] = await this.#connection.rows(COUNT_TODAY, [day]);
    return row?.[0] ?? 0;
  }
}
