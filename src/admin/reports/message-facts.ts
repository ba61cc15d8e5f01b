import {
  type AttemptRecord,
  type DeliveryRecord,
  hasProvider,
  holdsCode,
  type Reason,
  reasonAdvice,
  reasonText,
} from '../../store';
import { isoTime, recipientOf } from './records';

/**
 * What a message's state means for who waits for it, and what to do; in whole sentences.
 *
 * @param now - milliseconds since 1970 UTC
 */
export function adviceOn(message: DeliveryRecord, now: number): string {
  const { state, reason } = message;
  const meaning = BY_STATE[state](message, now);
  return reason === null ? meaning : `${meaning} ${reasonAdvice(reason)}`;
}

const BY_STATE: Readonly<Record<DeliveryRecord['state'], (message: DeliveryRecord, now: number) => string>> =
  {
    queued: ({ nextAttemptAt, attempts }, now) => {
      if (nextAttemptAt <= now) return 'It is due: the next free worker sends it.';
      const why =
        attempts > 0
          ? 'after an attempt that failed'
          : 'for quiet hours, or for data that is still to be loaded';
      return `It waits until ${isoTime(nextAttemptAt)}, ${why}.`;
    },
    sending: () => 'A worker is sending it now.',
    open: () => 'Push messages were made of it, and some of them are still to be sent.',
    sent: ({ channel, updatedAt }) =>
      !hasProvider(channel)
        ? 'All of its push messages were sent.'
        : `The provider took it at ${isoTime(updatedAt)}. Whether it reached the telephone, the provider knows: ask it with its id.`,
    partly: () => 'Some of its push messages went, and some did not.',
    failed: ({ channel, expiresAt }, now) =>
      holdsCode(channel) && expiresAt <= now
        ? 'It was not sent, and the code is worth nothing any more: a new one has to be asked for.'
        : 'It was not sent, and is not tried again by itself.',
    expired: ({ channel }) =>
      holdsCode(channel)
        ? 'Its time was over before it could be sent: a new code has to be asked for.'
        : 'Its time was over before it could be sent.',
    suppressed: () => 'It was not to be sent.',
  };

/** A reason's code, and its sentence. */
export const REASON_COLUMNS = ['reason', 'reason text'] as const;

/** A reason in as many cells as there are columns; empty where there is none. */
export function reasonCells(reason: Reason | null): readonly string[] {
  return reason === null ? ['', ''] : [reason.code, reasonText(reason)];
}

export const ATTEMPT_COLUMNS = [
  'attempt',
  'at',
  'provider',
  'outcome',
  'status',
  'ms',
  'parts',
  'id at the provider',
  ...REASON_COLUMNS,
];

/** What is known of a message, by name; a telephone number is masked. */
export function factsOf(message: DeliveryRecord): readonly (readonly [name: string, value: string])[] {
  const facts: Readonly<Record<string, string | number | null>> = {
    id: message.id,
    channel: message.channel,
    state: message.state,
    to: recipientOf(message),
    school: message.school,
    caller: message.caller,
    request: message.requestId,
    'without a device': message.withoutDevice,
    attempts: message.attempts,
    created: isoTime(message.createdAt),
    changed: isoTime(message.updatedAt),
    'next attempt': message.state === 'queued' ? isoTime(message.nextAttemptAt) : null,
    expires: isoTime(message.expiresAt),
    'id at the provider': message.providerId,
    reason: message.reason?.code ?? null,
    'reason text': message.reason && reasonText(message.reason),
  };
  return Object.entries(facts).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, String(value)] as const],
  );
}

/** An attempt, in as many cells as there are columns. */
export function attemptCells(attempt: AttemptRecord): readonly string[] {
  const { number, at, provider, outcome, status, milliseconds, parts, providerId, reason } = attempt;
  return [
    ...[String(number), isoTime(at), provider ?? 'none asked', outcome],
    ...[status, milliseconds, parts, providerId].map((value) => (value === null ? '' : String(value))),
    ...reasonCells(reason),
  ];
}
