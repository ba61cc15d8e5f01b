import { hash } from 'node:crypto';

import { type RawBuilder, sql } from 'kysely';

import { Repository } from '../engine/engine';
import { countPhrase, type Sentence } from '../../support/phrase';
import { phoneTail } from './sent-codes';
import { HOUR_MS } from '../../support/durations';

/**
 * Reasons why the send policy refuses a code, as sentences that follow "refused:", for one and for several.
 */
const REASONS = {
  cool_down: ['less than {age} after the last code'],
  ten_minutes: ['more than {n} code in 10 minutes', 'more than {n} codes in 10 minutes'],
  day: ['more than {n} code in 24 hours', 'more than {n} codes in 24 hours'],
  overall: ['the limit of {n} codes a day for all numbers together'],
  unusual: ['more codes than usual to this destination (possible SMS pumping)'],
  country: ['no codes are sent to this country (ALLOWED_COUNTRIES)'],
  premium: ['a premium-rate or satellite number'],
} as const;

export type RefusalReason = keyof typeof REASONS;
/** The time since the last code. */
const AGE = ['{n} second', '{n} seconds'] as const;
/** A text about refusals; features translate all of them. */
export type RefusalText = (typeof REASONS)[RefusalReason][number] | (typeof AGE)[number];

/** Reasons that only follow accepted codes to the same number, so they cannot fill the table. */
const AFTER_CODES: readonly RefusalReason[] = ['cool_down', 'ten_minutes', 'day'];

/** Returns true if callers can cause refusals for this reason with any number of invented phone numbers. */
export function isOfAnyNumber(reason: RefusalReason): boolean {
  return !AFTER_CODES.includes(reason);
}

/** Codes that were refused for one reason within an hour. Times are milliseconds since 1970 UTC. */
export interface Refusal {
  readonly reason: RefusalReason;
  /** The limit, in the unit of its reason; 0 for a reason without a limit. */
  readonly bound: number;
  readonly times: number;
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Describes why codes were refused, without the time. */
export function refusalSentence({ reason, bound }: Pick<Refusal, 'reason' | 'bound'>): Sentence<RefusalText> {
  if (!Object.hasOwn(REASONS, reason)) return { line: reason };
  const [one, several = one] = REASONS[reason];
  const age = countPhrase<RefusalText>(bound, ...AGE);
  return { text: bound === 1 ? one : several, values: { n: bound, age } };
}

/** Refusals of one phone, in E.164 or bare digits. */
export interface PhoneRefusal extends Refusal {
  readonly phone: string;
}

/** Maximum number of rows that invented phone numbers can cause. */
const MAX_ROWS = 50_000;
/** Number of rows that one statement writes. */
const CHUNK = 500;

/** Returns the hour under which a refusal is gathered. @param at - milliseconds since 1970 UTC */
export function startOfHour(at: number): number {
  return Math.floor(at / HOUR_MS);
}

/** Codes that were refused in the last day, by phone. Numbers are stored as digests only. */
export class Refusals extends Repository {
  /** Adds refusals, in a transaction: one row for each phone, reason and hour. */
  async record(refusals: readonly PhoneRefusal[]): Promise<void> {
    const { kysely } = this.connection;
    const { rows } = await sql<{ readonly rows: number }>`
      select count(*) as rows from (select 1 from refused_codes limit ${MAX_ROWS}) as found`.execute(kysely);
    const isFull = (rows[0]?.rows ?? 0) >= MAX_ROWS;
    const values = refusals
      .filter(({ reason }) => !isFull || !isOfAnyNumber(reason))
      .map(({ phone, reason, bound, times, firstAt, lastAt }) => ({
        ...makeDigests(phone),
        ...{ reason, hour: startOfHour(firstAt), bound, times, first_at: firstAt, last_at: lastAt },
      }))
      // The same order everywhere prevents deadlocks.
      .sort((one, other) => (`${one.tail}${one.whole}` < `${other.tail}${other.whole}` ? -1 : 1));
    for (let at = 0; at < values.length; at += CHUNK) {
      await kysely
        .insertInto('refused_codes')
        .values(values.slice(at, at + CHUNK))
        .onConflict((conflict) =>
          conflict.columns(['tail', 'whole', 'reason', 'hour']).doUpdateSet({
            bound: sql`excluded.bound`,
            times: sql`refused_codes.times + excluded.times`,
            first_at: sql`case when excluded.first_at < refused_codes.first_at then excluded.first_at
              else refused_codes.first_at end`,
            last_at: sql`case when excluded.last_at > refused_codes.last_at then excluded.last_at
              else refused_codes.last_at end`,
          }),
        )
        .execute();
    }
  }

  /** Lists the refusals of a phone, in any spelling of its number, the latest first. */
  async ofPhone(phone: string): Promise<readonly Refusal[]> {
    const rows = await this.connection.kysely
      .selectFrom('refused_codes')
      .select(['reason', 'bound', 'times', 'first_at', 'last_at'])
      .where(ofPhone(phone))
      .orderBy('last_at', 'desc')
      .execute();
    return rows.map(({ reason, bound, times, ...row }) => ({
      // Only `record` writes the column, from this type.
      reason: reason as RefusalReason,
      bound,
      times,
      firstAt: row.first_at,
      lastAt: row.last_at,
    }));
  }

  async remove(phone: string): Promise<void> {
    await this.connection.kysely.deleteFrom('refused_codes').where(ofPhone(phone)).execute();
  }

  /** Removes the rows whose last refusal was before a moment, in milliseconds since 1970 UTC. */
  async removeBefore(moment: number): Promise<void> {
    await this.connection.kysely.deleteFrom('refused_codes').where('last_at', '<', moment).execute();
  }
}

/**
 * Returns the condition on rows of the same phone, as isSamePhone decides for numbers of nine digits or more.
 */
function ofPhone(phone: string): RawBuilder<boolean> {
  const { tail, whole } = makeDigests(phone);
  return whole === '' ? sql`tail = ${tail}` : sql`tail = ${tail} and whole in ('', ${whole})`;
}

/**
 * Returns the digests by which a phone is found: of the end of its number, and of the whole if it is in
 * E.164.
 */
function makeDigests(phone: string): { readonly tail: string; readonly whole: string } {
  const digest = (text: string): string => hash('sha256', text, 'base64url');
  return { tail: digest(phoneTail(phone)), whole: phone.startsWith('+') ? digest(phone) : '' };
}
