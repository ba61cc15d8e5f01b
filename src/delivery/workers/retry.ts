import {
  type ClaimedMessage,
  holdsCode,
  type MessageChannel,
  type MessageState,
  type Settlement,
} from '../../store';
import { type Outcome, type Random, reasonFor } from '../outcome';
import { SECOND_MS } from '../../support/durations';

/** Delay between attempts; see backoffMs. */
interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

export interface RetryRules {
  readonly backoff: Backoff;
  /** True if a message that may have been sent is retried. */
  readonly repeatable: boolean;
}

/** Rules of each channel, applied during a message's lifetime. */
export const RETRY_RULES: Readonly<Record<MessageChannel, RetryRules>> = {
  // A second SMS costs money and trust, so an SMS that may have been sent is not repeated.
  sms: { backoff: { baseMs: SECOND_MS, maxMs: 20 * SECOND_MS }, repeatable: false },
  // A second push message replaces the first one on the phone.
  push: { backoff: { baseMs: SECOND_MS, maxMs: 600 * SECOND_MS }, repeatable: true },
  // Only failures of the store; a request that waits for data is woken when it arrives.
  mark: { backoff: { baseMs: SECOND_MS, maxMs: 600 * SECOND_MS }, repeatable: true },
};

export type NextState = Pick<
  Settlement,
  'state' | 'nextAttemptAt' | 'attempted' | 'providerId' | 'reason' | 'keepsReason'
>;

/** Number of times that a throttled message keeps its place at the front of the queue. */
const MAX_IN_ORDER = 5;

/** Consequence of each outcome; `retry`, `rest` and `wait` queue the message again, during its lifetime. */
const STEPS = {
  sent: 'sent',
  written: 'written',
  resolved: 'open',
  refused: 'failed',
  'dead-token': 'failed',
  'foreign-token': 'failed',
  busy: 'busy',
  later: 'retry',
  failing: 'retry',
  stopped: 'retry',
  missing: 'rest',
  repeated: 'suppressed',
  expired: 'expired',
  'not-yet': 'wait',
} as const satisfies Partial<Record<Outcome['kind'], string>>;

export function nextState(
  outcome: Outcome,
  message: Pick<ClaimedMessage, 'attempts' | 'createdAt' | 'expiresAt'>,
  rules: RetryRules,
  now: number,
  random: Random,
): NextState {
  const repeatable = rules.repeatable || (outcome.kind === 'unknown' && outcome.repeatable === true);
  const step = outcome.kind === 'unknown' ? (repeatable ? 'retry' : 'failed') : STEPS[outcome.kind];
  const reason = reasonFor(outcome);
  const providerId = outcome.kind === 'sent' ? (outcome.providerId ?? null) : null;
  // A waiting or expired message had an earlier reason.
  const keepsReason = step === 'wait' || step === 'expired';
  const settled = { nextAttemptAt: now, attempted: true, providerId, reason, keepsReason };

  if (step === 'wait') {
    const until = outcome.kind === 'not-yet' ? outcome.until : now;
    return { ...settled, state: 'queued', nextAttemptAt: notAfterEnd(until), attempted: false };
  }
  if (step === 'expired') return { ...settled, state: step, attempted: false };
  if (step === 'rest') return { ...settled, state: 'queued', nextAttemptAt: message.expiresAt };
  if (step !== 'retry' && step !== 'busy') return { ...settled, state: step };
  // A throttled queue continues in order of arrival, unless the provider means this message only.
  if (step === 'busy' && message.attempts <= MAX_IN_ORDER)
    return { ...settled, state: 'queued', nextAttemptAt: Math.min(message.createdAt, now) };
  // If the provider fails, all messages wait as long as it asks: see Provider.
  const asked = outcome.kind === 'later' ? Math.min(outcome.retryAfterMs ?? 0, rules.backoff.maxMs) : 0;
  const wait = Math.max(asked, backoffMs(rules.backoff, message.attempts, random));
  return { ...settled, state: 'queued', nextAttemptAt: notAfterEnd(now + wait) };

  /** Limits a time to the end of the message's lifetime, when it is found expired. */
  function notAfterEnd(time: number): number {
    return Math.min(time, Math.max(message.expiresAt, now));
  }
}

const ERASED_STATES: readonly MessageState[] = ['sent', 'written', 'expired', 'suppressed'];

/** Returns true if the payload must be erased: codes leave the store when they are sent or useless. */
export function isErased(channel: MessageChannel, state: MessageState): boolean {
  return holdsCode(channel) && ERASED_STATES.includes(state);
}

/**
 * Returns the delay after a failed attempt: exponential with full jitter, so that simultaneous failures do
 * not return simultaneously.
 *
 * @param attempt - number of the failed attempt, from 1
 * @returns milliseconds
 */
function backoffMs({ baseMs, maxMs }: Backoff, attempt: number, random: Random): number {
  return Math.floor(Math.min(baseMs * 2 ** (attempt - 1), maxMs) * random());
}
