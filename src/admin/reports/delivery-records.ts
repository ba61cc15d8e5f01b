import { isMaskedPhone, maskPhone } from '../../privacy';
import { type DeliveryFilter, type DeliveryRecord, isForTelephone } from '../../store';
import { csvTable, jsonLine } from './record-texts';

type Value = string | number | null;

/** What programs are told of a message, in this order; docs/delivery.md says what it means. */
const FIELDS = {
  id: ({ id }) => id,
  channel: ({ channel }) => channel,
  state: ({ state }) => state,
  to: (message) => recipientOf(message),
  match: (message, filter) => matchOf(message, filter),
  school: ({ school }) => (school === '' ? null : school),
  request: ({ requestId }) => requestId,
  note: ({ note }) => note,
  caller: ({ caller }) => caller,
  attempts: ({ attempts }) => attempts,
  reason: ({ reason }) => reason,
  providerId: ({ providerId }) => providerId,
  created: ({ createdAt }) => isoTime(createdAt),
  changed: ({ updatedAt }) => isoTime(updatedAt),
  nextAttempt: ({ state, nextAttemptAt }) => (state === 'queued' ? isoTime(nextAttemptAt) : null),
  expires: ({ expiresAt }) => isoTime(expiresAt),
} as const satisfies Readonly<Record<string, (message: DeliveryRecord, filter: DeliveryFilter) => Value>>;

/** An object in JSON for each message, a line each. */
export function deliveryLines(messages: readonly DeliveryRecord[], filter: DeliveryFilter): string {
  return messages
    .map((message) => {
      const fields = Object.entries(FIELDS).map(([name, value]) => [name, value(message, filter)] as const);
      return jsonLine(Object.fromEntries(fields));
    })
    .join('');
}

/** The same as CSV. */
export function deliveryCsv(messages: readonly DeliveryRecord[], filter: DeliveryFilter): string {
  const rows = messages.map((message) =>
    Object.values(FIELDS).map((value) => String(value(message, filter) ?? '')),
  );
  return csvTable(Object.keys(FIELDS), rows);
}

/** Whom a message is for; telephone numbers are masked. */
export function recipientOf({ channel, recipient }: DeliveryRecord): string {
  return isForTelephone(channel) ? maskPhone(recipient) : recipient;
}

/**
 * Where a telephone was asked for, whether a message was found by its whole number, or by what is left of that: then
 * it may be another telephone's.
 */
export function matchOf(
  { recipient }: DeliveryRecord,
  { phone }: DeliveryFilter,
): 'number' | 'masked' | null {
  if (phone === undefined) return null;
  return isMaskedPhone(recipient) ? 'masked' : 'number';
}

/** In ISO 8601. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
