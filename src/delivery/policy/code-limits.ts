import type { Refusal, SentCode } from '../../store';
import { DAY_MS, MINUTE_MS } from '../../support/durations';

/** Limits on the codes for one phone, by caller if callers are known. 0 switches a rule off. */
export interface CodeLimits {
  /** Time within which the same code is one SMS, in milliseconds. */
  readonly repeatMs: number;
  /** Minimum time between two SMS, in milliseconds; a code whose SMS failed may be repeated earlier. */
  readonly coolDownMs: number;
  readonly perTenMinutes: number;
  /** Maximum number of SMS within any 24 hours. */
  readonly perDay: number;
  /** Maximum number of codes for all phones on a day, which begins at midnight UTC. */
  readonly perDayOverall: number;
}

const TEN_MINUTES_MS = 10 * MINUTE_MS;

/**
 * Time within which a repeated code is recognized; then its digest is erased, and the same code is another
 * SMS.
 */
export const CODE_MEMORY_MS = TEN_MINUTES_MS;

type LimitDecision =
  | { readonly kind: 'new' }
  | { readonly kind: 'repeated'; readonly messageId: string }
  /** Wait in milliseconds, and the rule that makes it the longest. */
  | { readonly kind: 'too-many'; readonly retryAfterMs: number; readonly rule: RefusalRule };

export type RefusalRule = Pick<Refusal, 'reason' | 'bound'>;

/**
 * Applies a telephone's limits to one more code. A repetition is not counted, regardless of its caller; the
 * other limits count the SMS of the same caller only, so that callers do not use up each other's.
 *
 * @param sent - codes of the last day, newest first
 */
export function applyCodeLimits(
  limits: CodeLimits,
  { digest, caller }: { readonly digest: string; readonly caller: string | undefined },
  sent: readonly SentCode[],
  now: number,
): LimitDecision {
  const first = sent.find(
    (code) => code.alive && code.digest === digest && code.createdAt > now - limits.repeatMs,
  );
  if (first !== undefined) return { kind: 'repeated', messageId: first.id };

  const own = sent.filter((code) => code.caller === (caller ?? null));
  const { coolDownMs, perTenMinutes, perDay } = limits;
  const others = own.filter((code) => code.alive || code.digest !== digest);
  const waits: readonly (readonly [ms: number, rule: RefusalRule])[] = [
    [waitUntilFewer(others, 1, coolDownMs, now), { reason: 'cool_down', bound: coolDownMs / 1000 }],
    [
      waitUntilFewer(own, perTenMinutes, TEN_MINUTES_MS, now),
      { reason: 'ten_minutes', bound: perTenMinutes },
    ],
    [waitUntilFewer(own, perDay, DAY_MS, now), { reason: 'day', bound: perDay }],
  ];
  const [retryAfterMs, rule] = waits.reduce((longest, wait) => (wait[0] > longest[0] ? wait : longest));
  return retryAfterMs > 0 ? { kind: 'too-many', retryAfterMs, rule } : { kind: 'new' };
}

/**
 * Returns the time until fewer than `most` codes are in the window; at most 0 if that is so now, or the rule
 * is off.
 */
function waitUntilFewer(sent: readonly SentCode[], most: number, windowMs: number, now: number): number {
  if (most === 0 || windowMs === 0) return 0;
  const leavesLast = sent.at(most - 1);
  // At most the window, in case the clock was set back.
  return leavesLast === undefined ? 0 : Math.min(leavesLast.createdAt + windowMs - now, windowMs);
}
