import type { SentCode } from '../../store';

/** How many codes one telephone gets, by caller where callers are known. 0 switches a rule off. */
export interface CodeLimits {
  /** The same code within this time is one SMS, in milliseconds. */
  readonly repeatMs: number;
  /** Least time between two SMS, in milliseconds; a code whose SMS failed may be repeated before. */
  readonly coolDownMs: number;
  /** SMS within TEN_MINUTES. */
  readonly perTenMinutes: number;
  /** SMS within a day, which is any 24 hours. */
  readonly perDay: number;
  /** Codes of all telephones on a day, which begins at midnight UTC. */
  readonly perDayOverall: number;
}

const MINUTE_MS = 60_000;
const TEN_MINUTES_MS = 10 * MINUTE_MS;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * How far back repetitions of a code are recognised; then its digest is erased, and asking for it again
 * is another SMS.
 */
export const CODE_MEMORY_MS = TEN_MINUTES_MS;

type LimitDecision =
  | { readonly kind: 'new' }
  | { readonly kind: 'repeated'; readonly messageId: string }
  /** Milliseconds. */
  | { readonly kind: 'too-many'; readonly retryAfterMs: number };

/**
 * What a telephone's limits say to one more code. A code that repeats another is none more, whoever asks for it; the
 * other limits count each SMS, those that the same caller asked for: nobody uses up what others may send.
 *
 * @param sent - the codes of the last day, newest first
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
  const waits = [
    waitUntilFewer(
      own.filter((code) => code.alive || code.digest !== digest),
      1,
      limits.coolDownMs,
      now,
    ),
    waitUntilFewer(own, limits.perTenMinutes, TEN_MINUTES_MS, now),
    waitUntilFewer(own, limits.perDay, DAY_MS, now),
  ];
  const retryAfterMs = Math.max(...waits);
  return retryAfterMs > 0 ? { kind: 'too-many', retryAfterMs } : { kind: 'new' };
}

/** How long until fewer than `most` codes lie in the window; at most 0 where that is so, or the rule is off. */
function waitUntilFewer(sent: readonly SentCode[], most: number, windowMs: number, now: number): number {
  if (most === 0 || windowMs === 0) return 0;
  const leavesLast = sent.at(most - 1);
  // No longer than the window, where the clock was put back meanwhile.
  return leavesLast === undefined ? 0 : Math.min(leavesLast.createdAt + windowMs - now, windowMs);
}
