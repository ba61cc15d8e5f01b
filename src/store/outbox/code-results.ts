import { sql } from 'kysely';

import type { Connection } from '../engine/engine';
import { hotRead } from '../engine/hot-statement';
import { OF_CODES } from './channels';
import { firstMessageId } from './messages';
import { readReason } from './reasons';
import { MINUTE_MS } from '../../support/durations';

/** Counts the codes that ended within some minutes. What holds all codes is a cause of its own. */
export interface CodeResults {
  /** Codes that failed or expired by themselves, and the numbers that they were for. */
  readonly failed: number;
  readonly failedNumbers: number;
  /** Codes that expired because a hold lasted longer than they are valid, and their numbers. */
  readonly held: number;
  readonly heldNumbers: number;
  /** All codes that ended but the held ones, and their numbers; 0 unless codes for several numbers failed. */
  readonly ended: number;
  readonly numbers: number;
}

interface Span {
  readonly first: string;
  readonly since: number;
}

type FailedRow = readonly [recipient: string, reason: string | null, params: string | null, codes: number];

/** A code ends within its lifetime; this is longer. */
const LONGEST_LIFE_MS = 10 * MINUTE_MS;
/** Codes for fewer numbers are no sign of a problem, so nothing else is counted. */
const FEW_NUMBERS = 2;

/** In the words of the index of states. */
const FAILED_CODES = hotRead<Span, FailedRow>(
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
      and updated_at > ${param.integer(({ since }) => since)}
      and (reason is null or reason <> 'expired' or reason_params is null)`,
);

/** @param since - milliseconds since 1970 UTC */
export async function readCodeResults(connection: Connection, since: number): Promise<CodeResults> {
  const span = { first: firstMessageId(since - LONGEST_LIFE_MS), since };
  const rows = await connection.rows(FAILED_CODES, span);
  const isHeld = ([, code, params]: FailedRow): boolean => {
    const reason = readReason(code, params);
    return reason?.code === 'expired' && reason.held !== undefined;
  };
  const held = summarize(rows.filter(isHeld));
  const failed = summarize(rows.filter((row) => !isHeld(row)));
  const isFew = Math.max(held.numbers, failed.numbers) <= FEW_NUMBERS;
  const [all = [0, 0] as const] = isFew ? [] : await connection.rows(ENDED_CODES, span);
  return {
    ...{ failed: failed.codes, failedNumbers: failed.numbers },
    ...{ held: held.codes, heldNumbers: held.numbers },
    ...{ ended: all[0], numbers: all[1] },
  };
}

function summarize(rows: readonly FailedRow[]) {
  return {
    codes: rows.reduce((sum, [, , , codes]) => sum + codes, 0),
    numbers: new Set(rows.map(([recipient]) => recipient)).size,
  };
}
