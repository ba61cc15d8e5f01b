import type { SentCode } from '../../store';

/** How many codes one telephone gets. 0 switches a rule off. */
export interface CodeLimits {
  /** The same code within this time is one SMS, in milliseconds. */
  readonly repeatMs: number;
  /** Least time between different codes, in milliseconds. */
  readonly coolDownMs: number;
  /** Different codes within TEN_MINUTES. */
  readonly perTenMinutes: number;
  /** Different codes within a day, which is any 24 hours. */
  readonly perDay: number;
  /** Codes of all telephones on a day, which begins at midnight UTC. */
  readonly perDayOverall: number;
}

const MINUTE_MS = 60_000;
const TEN_MINUTES_MS = 10 * MINUTE_MS;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/**
 * How far back repetitions of a code are recognised; then its digest is erased, and asking for it again
 * counts as another code.
 */
export const CODE_MEMORY_MS = TEN_MINUTES_MS;

export type LimitDecision =
  | { readonly kind: 'new' }
  | { readonly kind: 'repeated'; readonly messageId: string }
  /** Milliseconds. */
  | { readonly kind: 'too-many'; readonly retryAfterMs: number };

/**
 * What a telephone's limits say to one more code.
 *
 * @param digest - of the code
 * @param sent - the codes of the last day, newest first
 */
export function applyCodeLimits(
  limits: CodeLimits,
  digest: string,
  sent: readonly SentCode[],
  now: number,
): LimitDecision {
  const first = sent.find(
    (code) => code.alive && code.digest === digest && code.createdAt > now - limits.repeatMs,
  );
  if (first !== undefined) return { kind: 'repeated', messageId: first.id };

  const others = sent.filter((code) => code.digest !== digest);
  const waits = [
    waitUntilFewer(others, 1, limits.coolDownMs, now),
    waitUntilFewer(others, limits.perTenMinutes, TEN_MINUTES_MS, now),
    waitUntilFewer(others, limits.perDay, DAY_MS, now),
  ];
  const retryAfterMs = Math.max(...waits);
  return retryAfterMs > 0 ? { kind: 'too-many', retryAfterMs } : { kind: 'new' };
}

/** How long until fewer than `most` different codes lie in the window; at most 0 where that is so, or the rule is off. */
function waitUntilFewer(sent: readonly SentCode[], most: number, windowMs: number, now: number): number {
  if (most === 0 || windowMs === 0) return 0;
  // Of a code that came more than once, the last time counts. Newest first, so it is met first.
  const lastTimes = new Map<string, number>();
  sent.forEach(({ digest, createdAt }, at) => {
    const code = digest ?? `erased ${String(at)}`;
    if (!lastTimes.has(code)) lastTimes.set(code, createdAt);
  });
  const leavesLast = [...lastTimes.values()].at(most - 1);
  return leavesLast === undefined ? 0 : leavesLast + windowMs - now;
}
