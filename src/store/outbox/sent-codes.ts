import { sql } from 'kysely';

import { Repository } from '../engine/engine';
import { hotRead, hotWrite } from '../engine/hot-statement';
import { OF_TELEPHONES } from './channels';

/** National numbers are rarely longer; before these digits, spellings of the same number differ. */
const TELLING_DIGITS = 9;

/**
 * Returns true if two numbers may be the same phone. Numbers in E.164 are compared in full; if one has no
 * country, as when DEFAULT_COUNTRY is not set, the last nine digits decide.
 *
 * @param one - in E.164, or the digits of a number without a known country
 */
export function isSamePhone(one: string, other: string): boolean {
  if (one === other) return true;
  if (one.startsWith('+') && other.startsWith('+')) return false;
  const [ours, theirs] = [significantDigits(one), significantDigits(other)];
  const telling = Math.min(TELLING_DIGITS, ours.length, theirs.length);
  return ours.slice(-telling) === theirs.slice(-telling);
}

/** Removes the leading zeros of international and trunk prefixes from a number. */
export function significantDigits(phone: string): string {
  return phone.replace(/^\+?0*/, '');
}

/** Returns the end of a number, equal in all its spellings, by which `isSamePhone` decides. */
export function phoneTail(phone: string): string {
  return significantDigits(phone).slice(-TELLING_DIGITS);
}

/** A code accepted for a phone. */
export interface SentCode {
  readonly id: string;
  /** Number as accepted. */
  readonly phone: string;
  /** Name of the caller; null for an unknown caller. */
  readonly caller: string | null;
  /** Equal for equal codes; null once erased. */
  readonly digest: string | null;
  readonly createdAt: number;
  /** True if it was sent, or still may be. */
  readonly alive: boolean;
}

export interface CallerCodes {
  /** Empty for unknown callers. */
  readonly caller: string;
  readonly codes: number;
}

/**
 * Number of final digits by which codes of a phone are found: fewer than any two spellings of its number
 * share.
 */
const END_LENGTH = 7;
const PADDING = '0'.repeat(END_LENGTH - 1);

/** Returns the end of a phone number, by which its other spellings are found; other phones may share it. */
export function phoneEnd(phone: string): string {
  return (PADDING + phone).slice(-END_LENGTH);
}

/** Worded like the index: the end of a code's number, masked or not. */
export const PHONE_END = sql<string>`substr('000000' || recipient, length(recipient))`;

/** Worded like the index, whose order is that of time. No number ends like a masked one. */
const WITH_END = hotRead<
  { readonly end: string; readonly since: number },
  readonly [
    id: string,
    phone: string,
    caller: string | null,
    digest: string | null,
    createdAt: number,
    state: string,
  ]
>(
  'codes_by_phone_end',
  (param) => sql`select id, recipient, caller, dedupe_key, created_at, state from messages
    where ${PHONE_END} = ${param(({ end }) => end)}
      and created_at > ${param.integer(({ since }) => since)}
      and ${OF_TELEPHONES}
    order by created_at desc`,
);

const COUNT_CODE = hotWrite<{ readonly day: number; readonly caller: string }, readonly []>(
  'count_code',
  (param) => sql`insert into caller_codes (day, caller, codes)
  values (${param.integer(({ day }) => day)}, ${param(({ caller }) => caller)}, 1)
    on conflict (day, caller) do update set codes = caller_codes.codes + 1`,
);

const CODES_OF_DAY = hotRead<{ readonly day: number }, readonly [caller: string, codes: number]>(
  'codes_of_day',
  (param) => sql`select caller, codes from caller_codes where day = ${param.integer(({ day }) => day)}`,
);

const DEAD_STATES: readonly string[] = ['failed', 'expired', 'suppressed'];

/** Earlier codes, for the limits on codes; to be queried in the transaction that stores the next one. */
export class SentCodes extends Repository {
  /** Lists the codes since a moment for numbers that end like this one, newest first. */
  async endingLike(phone: string, since: number): Promise<readonly SentCode[]> {
    const rows = await this.connection.rows(WITH_END, { end: phoneEnd(phone), since });
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
   * @param day - days since 1970 UTC
   * @param caller - empty if unknown
   */
  async count(day: number, caller: string): Promise<void> {
    await this.connection.rows(COUNT_CODE, { day, caller });
  }

  async ofDay(day: number): Promise<readonly CallerCodes[]> {
    const rows = await this.connection.rows(CODES_OF_DAY, { day });
    return rows.map(([caller, codes]) => ({ caller, codes }));
  }
}
