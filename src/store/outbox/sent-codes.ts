import { sql } from 'kysely';

import type { Connection } from '../engine/engine';
import type { HotStatement } from '../engine/hot-statement';
import { OF_TELEPHONES } from './channels';

/** National numbers are rarely longer: behind them, the ways to write one telephone differ. */
const TELLING_DIGITS = 9;

/**
 * Whether two numbers may be one telephone's. Those with a country, in E.164, are told apart by all of their digits;
 * where one has none, as it stands where DEFAULT_COUNTRY is not set, its last nine digits decide.
 *
 * @param one - in E.164, or the digits of a number whose country is not known
 */
export function isSamePhone(one: string, other: string): boolean {
  if (one === other) return true;
  if (one.startsWith('+') && other.startsWith('+')) return false;
  const [ours, theirs] = [significantDigits(one), significantDigits(other)];
  const telling = Math.min(TELLING_DIGITS, ours.length, theirs.length);
  return ours.slice(-telling) === theirs.slice(-telling);
}

/** A number without the zeros that lead to a country or a town, in the ways of each country. */
export function significantDigits(phone: string): string {
  return phone.replace(/^\+?0*/, '');
}

/** A code that was taken on for a telephone. */
export interface SentCode {
  /** The message's. */
  readonly id: string;
  /** The number as it was taken on. */
  readonly phone: string;
  /** Name of who asked for it; null where nobody is known. */
  readonly caller: string | null;
  /** The same for the same code; null when it is erased. */
  readonly digest: string | null;
  readonly createdAt: number;
  /** Whether it was sent, or still may be. */
  readonly alive: boolean;
}

/** How many codes a caller asked for. */
export interface CallerCodes {
  /** Empty for all that are not known. */
  readonly caller: string;
  readonly codes: number;
}

/** Characters by which codes of a telephone are found: fewer than any two spellings of its number share. */
const END_LENGTH = 7;
const PADDING = '0'.repeat(END_LENGTH - 1);

/** The end of a telephone number, by which its other spellings are found; other telephones may have the same. */
export function phoneEnd(phone: string): string {
  return (PADDING + phone).slice(-END_LENGTH);
}

/** In the words of the index: the end of a code's number, also of what is left of one that is masked. */
export const PHONE_END = sql<string>`substr('000000' || recipient, length(recipient))`;

/** In the words of the index, whose order is that of time. No number ends like a masked one. */
const WITH_END: HotStatement<
  { readonly end: string; readonly since: number },
  readonly [
    id: string,
    phone: string,
    caller: string | null,
    digest: string | null,
    createdAt: number,
    state: string,
  ]
> = {
  name: 'codes_by_phone_end',
  kind: 'read',
  build: (_db, param) => sql`select id, recipient, caller, dedupe_key, created_at, state from messages
    where ${PHONE_END} = ${param(({ end }) => end)}
      and created_at > ${param.integer(({ since }) => since)}
      and ${OF_TELEPHONES}
    order by created_at desc`,
};

const COUNT_CODE: HotStatement<{ readonly day: number; readonly caller: string }, readonly []> = {
  name: 'count_code',
  kind: 'write',
  build: (
    _db,
    param,
  ) => sql`insert into caller_codes (day, caller, codes) values (${param.integer(({ day }) => day)}, ${param(({ caller }) => caller)}, 1)
    on conflict (day, caller) do update set codes = caller_codes.codes + 1`,
};

const CODES_OF_DAY: HotStatement<{ readonly day: number }, readonly [caller: string, codes: number]> = {
  name: 'codes_of_day',
  kind: 'read',
  build: (_db, param) =>
    sql`select caller, codes from caller_codes where day = ${param.integer(({ day }) => day)}`,
};

const DEAD_STATES: readonly string[] = ['failed', 'expired', 'suppressed'];

/** What the limits on codes go by; to be asked in the transaction that stores the next one. */
export class SentCodes {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The codes since a moment for numbers that end like this one, newest first. */
  async endingLike(phone: string, since: number): Promise<readonly SentCode[]> {
    const rows = await this.#connection.rows(WITH_END, { end: phoneEnd(phone), since });
    return rows.map(([id, recipient, caller, digest, createdAt, state]) => ({
      id,
      phone: recipient,
      caller,
      digest,
      createdAt,
      alive: !DEAD_STATES.includes(state),
    }));
  }

  /**
   * Counts one more code of a caller.
   *
   * @param day - days since 1970 UTC
   * @param caller - empty where it is not known
   */
  async count(day: number, caller: string): Promise<void> {
    await this.#connection.rows(COUNT_CODE, { day, caller });
  }

  /** What was counted on a day, by caller. */
  async ofDay(day: number): Promise<readonly CallerCodes[]> {
    const rows = await this.#connection.rows(CODES_OF_DAY, { day });
    return rows.map(([caller, codes]) => ({ caller, codes }));
  }
}
