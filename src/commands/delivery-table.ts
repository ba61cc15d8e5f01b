import type { DeliveryRecord } from '../store';
import { maskPhone } from '../telemetry';
import { textTable } from './text-table';

const HEADER = ['id', 'channel', 'state', 'to', 'created', 'attempts'];

/** Messages for the terminal, a line each; telephone numbers are masked. */
export function deliveryTable(messages: readonly DeliveryRecord[]): string {
  if (messages.length === 0) return 'There are none.';
  const rows = messages.map(({ id, channel, state, recipient, createdAt, attempts, reason }) => [
    ...[id, channel, state, shownRecipient(channel, recipient), time(createdAt), String(attempts)],
    ...(reason === null ? [] : [reason]),
  ]);
  return textTable([...HEADER, 'reason'], rows, HEADER.length + 1);
}

/** Everything about one message, a line for each fact. */
export function deliveryDetails(message: DeliveryRecord): string {
  const facts: Readonly<Record<string, string | number | null>> = {
    id: message.id,
    channel: message.channel,
    state: message.state,
    to: shownRecipient(message.channel, message.recipient),
    school: message.school,
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
    .map(([name, value]) => `${name.padEnd(18)}  ${String(value)}`)
    .join('\n');
}

function shownRecipient(channel: DeliveryRecord['channel'], recipient: string): string {
  return channel === 'sms' ? maskPhone(recipient) : recipient;
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
