import { sql } from 'kysely';

import type { Connection } from '../engine/engine';
import { hotRead } from '../engine/hot-statement';
import { OF_CODES } from './channels';
import { firstMessageId } from './messages';
import { readReason } from './reasons';
import { MINUTE_MS } from '../../support/durations';

/** Counts the codes that ended within some minutes. */
export interface CodeResults {
  /** Failed and expired ones. */
  readonly failed: number;
  /** Numbers that they were for. */
  readonly failedNumbers: number;
  /**
   * Part of these: numbers with a code that failed by itself, and not because a hold lasted until it expired.
   */
  readonly unexplainedNumbers: number;
  /** All codes that ended, and their numbers; 0 unless codes for several numbers failed. */
  readonly ended: number;
  readonly numbers: number;
}

interface Span {
  readonly first: string;
  readonly since: number;
}

/** A code ends within its lifetime; this is longer. */
const LONGEST_LIFE_MS = 10 * MINUTE_MS;
/** Codes for fewer numbers are no sign of a problem, so nothing else is counted. */
const FEW_NUMBERS = 2;

/** In the words of the index of states. */
const FAILED_CODES = hotRead<
  Span,
  readonly [recipient: string, reason: string | null, params: string | null, codes: number]
>(
  'failed_codes',
  (param) => sql`select recipient, reason, reason_params, count(*) from messages
    where state in ('failed', 'expired') and state not in ('queued', 'sending')
      and id >= ${param(({ first }) => first)} and ${OF_CODES}
      and updated_at > ${param.integer(({ since }) => since)}
    group by recipient, reason, reason_params`,
);

const ENDED_CODES = hotRead<Span, readonly [codes: number, numbers: number]>(
  'ended_codes',
  (param) => sql`select count(*), count(distinct recipient) from messages
    where id >= ${param(({ first }) => first)} and ${OF_CODES} and state not in ('queued', 'sending')
      and updated_at > ${param.integer(({ since }) => since)}`,
);

/** @param since - milliseconds since 1970 UTC */
export async function readCodeResults(connection: Connection, since: number): Promise<CodeResults> {
  const span = { first: firstMessageId(since - LONGEST_LIFE_MS), since };
  const rows = await connection.rows(FAILED_CODES, span);
  const numbers = new Set(rows.map(([recipient]) => recipient));
  const unexplained = rows.filter(([, code, params]) => {
    const reason = readReason(code, params);
    return reason?.code !== 'expired' || reason.held === undefined;
  });
  const isFew = numbers.size <= FEW_NUMBERS;
  const [all = [0, 0] as const] = isFew ? [] : await connection.rows(ENDED_CODES, span);
  return {
    failed: rows.reduce((sum, [, , , codes]) => sum + codes, 0),
    failedNumbers: numbers.size,
    unexplainedNumbers: new Set(unexplained.map(([recipient]) => recipient)).size,
    ended: all[0],
    numbers: all[1],
  };
}
