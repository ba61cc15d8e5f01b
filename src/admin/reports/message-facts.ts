import type { AttemptRecord, DeliveryRecord } from '../../store';
import { isoTime, recipientOf } from './delivery-records';

export const ATTEMPT_COLUMNS = [
  'attempt',
  'at',
  'provider',
  'outcome',
  'status',
  'ms',
  'parts',
  'id at the provider',
  'reason',
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
    reason: message.reason,
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
    ...[status, milliseconds, parts, providerId, reason].map((value) =>
      value === null ? '' : String(value),
    ),
  ];
}
