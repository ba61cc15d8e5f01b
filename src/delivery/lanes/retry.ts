import {
  type ClaimedMessage,
  holdsCode,
  type MessageChannel,
  type MessageState,
  type Reason,
} from '../../store';
import { type Outcome, type Random, reasonOf } from '../outcome';

/** How long to wait between attempts; see backoffMs. */
interface Backoff {
  readonly baseMs: number;
  readonly mostMs: number;
}

/** How a channel's messages are tried again. */
export interface RetryRules {
  readonly backoff: Backoff;
  /** Whether what may have been sent already may be sent again. */
  readonly repeatable: boolean;
}

const SECOND_MS = 1000;

/** How each channel's messages are tried again, for as long as they live. */
export const LANE_RULES: Readonly<Record<MessageChannel, RetryRules>> = {
  // A second SMS costs money and trust: what may have been sent is not sent again.
  sms: { backoff: { baseMs: SECOND_MS, mostMs: 20 * SECOND_MS }, repeatable: false },
  // A second push message takes the place of the first on the telephone.
  push: { backoff: { baseMs: SECOND_MS, mostMs: 600 * SECOND_MS }, repeatable: true },
  // The store's own failures; what waits for data is woken when it comes.
  mark: { backoff: { baseMs: SECOND_MS, mostMs: 600 * SECOND_MS }, repeatable: true },
};

/** What is recorded of an attempt. */
interface NextState {
  readonly state: Exclude<MessageState, 'sending' | 'partly'>;
  /** When it is due again, where it is queued. */
  readonly nextAttemptAt: number;
  readonly attempted: boolean;
  readonly providerId: string | null;
  readonly reason: Reason | null;
  /** Whether a reason that an earlier attempt has left says more than this one. */
  readonly keepsReason: boolean;
}

/** So often a message goes first again after the provider had too many. */
const MOST_IN_ORDER = 5;

/** What an outcome leads to; with `retry`, `rest` and `wait` it is queued again, until its life is over. */
const STEPS = {
  sent: 'sent',
  written: 'written',
  resolved: 'open',
  refused: 'failed',
  'dead-token': 'failed',
  busy: 'busy',
  later: 'retry',
  failing: 'retry',
  stopped: 'retry',
  missing: 'rest',
  repeated: 'suppressed',
  expired: 'expired',
  'not-yet': 'wait',
} as const satisfies Partial<Record<Outcome['kind'], string>>;

/** From an outcome to the message's next state. */
export function nextState(
  outcome: Outcome,
  message: Pick<ClaimedMessage, 'attempts' | 'createdAt' | 'expiresAt'>,
  rules: RetryRules,
  now: number,
  random: Random,
): NextState {
  const repeatable = rules.repeatable || (outcome.kind === 'unknown' && outcome.repeatable === true);
  const step = outcome.kind === 'unknown' ? (repeatable ? 'retry' : 'failed') : STEPS[outcome.kind];
  const reason = reasonOf(outcome);
  const providerId = outcome.kind === 'sent' ? (outcome.providerId ?? null) : null;
  // What waits, or came too late, was held up by something.
  const keepsReason = step === 'wait' || step === 'expired';
  const settled = { nextAttemptAt: now, attempted: true, providerId, reason, keepsReason };

  if (step === 'wait') {
    const until = outcome.kind === 'not-yet' ? outcome.until : now;
    return { ...settled, state: 'queued', nextAttemptAt: notAfterEnd(until), attempted: false };
  }
  if (step === 'rest') return { ...settled, state: 'queued', nextAttemptAt: message.expiresAt };
  if (step !== 'retry' && step !== 'busy') return { ...settled, state: step };
  // The provider keeps all waiting: it goes on in the order in which they came, unless it is this one that it means.
  if (step === 'busy' && message.attempts <= MOST_IN_ORDER)
    return { ...settled, state: 'queued', nextAttemptAt: Math.min(message.createdAt, now) };
  // Of a failing provider, all wait as long as it asks for: see Provider.
  const asked = outcome.kind === 'later' ? Math.min(outcome.retryAfterMs ?? 0, rules.backoff.mostMs) : 0;
  const wait = Math.max(asked, backoffMs(rules.backoff, message.attempts, random));
  return { ...settled, state: 'queued', nextAttemptAt: notAfterEnd(now + wait) };

  /** At the end of its lifetime a message is looked at once more, and found expired. */
  function notAfterEnd(time: number): number {
    return Math.min(time, Math.max(message.expiresAt, now));
  }
}

const ERASED_STATES: readonly MessageState[] = ['sent', 'written', 'expired', 'suppressed'];

/** Whether nothing of what a message held may stay: codes leave the store when they are sent or worthless. */
export function isErased(channel: MessageChannel, state: MessageState): boolean {
  return holdsCode(channel) && ERASED_STATES.includes(state);
}

/**
 * How long to wait after a failed attempt: doubled from one to the next, any time up to that (full jitter), so
 * that what failed together does not come back together.
 *
 * @param attempt - which one failed, from 1
 * @returns milliseconds
 */
function backoffMs({ baseMs, mostMs }: Backoff, attempt: number, random: Random): number {
  return Math.floor(Math.min(baseMs * 2 ** (attempt - 1), mostMs) * random());
}
