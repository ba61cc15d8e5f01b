import { maskPhone } from '../privacy';
import type { AttemptRecord, DeliveryRecord, PushCount } from '../store';
import { shown } from '../text';
import { textTable } from './tables';

const DELIVERY_COLUMNS = ['id', 'channel', 'state', 'to', 'created', 'attempts'];
const ATTEMPT_COLUMNS = [
  'attempt',
  'at',
  'provider',
  'outcome',
  'status',
  'ms',
  'parts',
  'id at the provider',
];

/** Messages for the terminal, a line each; telephone numbers are masked. */
export function deliveryTable(messages: readonly DeliveryRecord[]): string {
  return messages.length === 0 ? 'There are none.' : messageTable(messages);
}

function messageTable(messages: readonly DeliveryRecord[]): string {
  const rows = messages.map(({ id, channel, state, recipient, createdAt, attempts, reason }) => [
    ...[id, channel, state, shownRecipient(channel, recipient), time(createdAt), String(attempts)],
    ...(reason === null ? [] : [reason]),
  ]);
  return textTable([...DELIVERY_COLUMNS, 'reason'], rows, DELIVERY_COLUMNS.length + 1);
}

/**
 * Everything about one message, a line for each fact, and then each attempt to deliver it; callers choose some of the
 * texts.
 */
export function deliveryDetails(message: DeliveryRecord, attempts: readonly AttemptRecord[]): string {
  return [factsOf(message), ...(attempts.length === 0 ? [] : [attemptTable(attempts)])].join('\n\n');
}

/**
 * Everything about one request, a line for each fact; then what became of how many of its push messages and why, and
 * then the messages themselves.
 *
 * @param pushes - all of them, or as many as are to be listed
 */
export function requestDetails(
  request: DeliveryRecord,
  counts: readonly PushCount[],
  pushes: readonly DeliveryRecord[],
): string {
  if (counts.length === 0) return factsOf(request);
  const left = counts.reduce((sum, { messages }) => sum + messages, -pushes.length);
  return [
    factsOf(request),
    textTable(
      ['push messages', 'state', 'reason'],
      counts.map(({ messages, state, reason }) => [messages.toLocaleString('en'), state, reason ?? '']),
      3,
    ),
    [messageTable(pushes), ...(left > 0 ? [`and ${left.toLocaleString('en')} more`] : [])].join('\n'),
  ].join('\n\n');
}

function factsOf(message: DeliveryRecord): string {
  const facts: Readonly<Record<string, string | number | null>> = {
    id: message.id,
    channel: message.channel,
    state: message.state,
    to: shownRecipient(message.channel, message.recipient),
    school: message.school,
    caller: message.caller,
    request: message.requestId,
    'without a device': message.withoutDevice,
    attempts: message.attempts,
    created: time(message.createdAt),
    changed: time(message.updatedAt),
    'next attempt': message.state === 'queued' ? time(message.nextAttemptAt) : null,
    expires: time(message.expiresAt),
    'id at the provider': message.providerId,
    reason: message.reason,
  };
  return Object.entries(facts)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${name.padEnd(18)}  ${shown(String(value))}`)
    .join('\n');
}

function attemptTable(attempts: readonly AttemptRecord[]): string {
  const rows = attempts.map(
    ({ number, at, provider, outcome, status, milliseconds, parts, providerId, reason }) => [
      ...[String(number), time(at), provider ?? 'none asked', outcome],
      ...[status, milliseconds, parts, providerId, reason].map((value) =>
        value === null ? '' : String(value),
      ),
    ],
  );
  return textTable([...ATTEMPT_COLUMNS, 'reason'], rows, ATTEMPT_COLUMNS.length + 1);
}

function shownRecipient(channel: DeliveryRecord['channel'], recipient: string): string {
  return channel === 'sms' ? maskPhone(recipient) : recipient;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
