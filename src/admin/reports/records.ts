import { csvLine, type DeliveryFilter, type DeliveryRecord, isForTelephone, waitingFor } from '../../store';
import { isMaskedPhone, maskPhone } from '../../support/masks';
import { englishText, type Phrase, type Sentence } from '../../support/phrase';
import { shown, shownJson } from '../../support/text';
import type { Text } from '../texts/words';
import type { TimeText } from './time-text';
import { type Moment, reasonWithTimes, waitingSentence } from './waiting-text';

/** Matches texts that a spreadsheet would run as a formula, but not masked numbers. */
const FORMULA = /^(?:[=@\t\r]|[+-](?![\d.]+$))/;

/** Returns CSV with a header row. Formulas are prefixed with an apostrophe. */
export function csvTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(shown).map((cell) => (FORMULA.test(cell) ? `'${cell}` : cell)));
  return [header, ...cells].map(csvLine).join('');
}

export function jsonLine(record: Readonly<Record<string, unknown>>): string {
  return `${shownJson(record)}\n`;
}

type RecordField = string | number | null;

/** Holds what messages are shown with: how they were searched for, and what holds them at which time. */
export interface RecordView {
  readonly filter: DeliveryFilter;
  readonly moment: Moment;
  readonly time: TimeText;
}

/** Lists the fields of a message in JSON and CSV, in this order; docs/messages.md explains them. */
const FIELDS = {
  id: ({ id }) => id,
  channel: ({ channel }) => channel,
  state: ({ state }) => state,
  to: (message) => shownRecipient(message),
  match: (message, { filter }) => matchKind(message, filter),
  school: ({ school }) => (school === '' ? null : school),
  request: ({ requestId }) => requestId,
  note: ({ note }) => note,
  caller: ({ caller }) => caller,
  attempts: ({ attempts }) => attempts,
  reason: ({ reason }) => reason?.code ?? null,
  reasonText: ({ reason }, { moment, time }) => reason && englishText(reasonWithTimes(reason, moment, time)),
  providerId: ({ providerId }) => providerId,
  created: ({ createdAt }) => isoTime(createdAt),
  changed: ({ updatedAt }) => isoTime(updatedAt),
  nextAttempt: ({ state, nextAttemptAt }) => (state === 'queued' ? isoTime(nextAttemptAt) : null),
  expires: ({ expiresAt }) => isoTime(expiresAt),
  parts: ({ parts }) => parts,
  receipt: (message) => receiptText(message),
  receiptCode: ({ receiptCode }) => receiptCode,
  receiptTime: ({ receiptAt }) => receiptAt && isoTime(receiptAt),
  receiptTimeIs: ({ receiptAt, isReceiptExact }) => receiptAt && (isReceiptExact ? 'at' : 'by'),
  waitingFor: (message, { moment }) => waitingCode(message, moment),
  waitingText: (message, { moment, time }) => asText(waitingSentence(message, moment, time)),
} as const satisfies Readonly<Record<string, (message: DeliveryRecord, view: RecordView) => RecordField>>;

/**
 * Returns what a queued message waits for: the cause of a hold, or the kind of wait; null for another
 * message.
 */
function waitingCode(message: DeliveryRecord, { holds, now }: Moment): string | null {
  if (message.state !== 'queued') return null;
  const waiting = waitingFor(message, holds, now);
  return waiting.kind === 'hold' ? waiting.hold.cause : waiting.kind;
}

function asText(sentence: Sentence<string> | undefined): string | null {
  return sentence === undefined ? null : englishText(sentence);
}

export function deliveryLines(messages: readonly DeliveryRecord[], view: RecordView): string {
  return messages
    .map((message) => {
      const fields = Object.entries(FIELDS).map(([name, value]) => [name, value(message, view)] as const);
      return jsonLine(Object.fromEntries(fields));
    })
    .join('');
}

export function deliveryCsv(messages: readonly DeliveryRecord[], view: RecordView): string {
  const rows = messages.map((message) =>
    Object.values(FIELDS).map((value) => String(value(message, view) ?? '')),
  );
  return csvTable(Object.keys(FIELDS), rows);
}

/** Names what a gateway reported about an SMS that it accepted. */
export type ReceiptText = Exclude<NonNullable<DeliveryRecord['receipt']>, 'waiting'> | 'no receipt';

/** Returns what a gateway reported about an SMS that it accepted; null where it sends no receipts. */
export function receiptText({ receipt }: DeliveryRecord): ReceiptText | null {
  return receipt === 'waiting' ? 'no receipt' : receipt;
}

/** Says what a gateway reported, with the time of a delivery; null where it sends no receipts. */
export function receiptPhrase(message: DeliveryRecord, time: TimeText): Phrase<Text> | null {
  const { receipt, receiptAt, isReceiptExact, createdAt } = message;
  const text = receiptText(message);
  if (text === null) return null;
  if (receipt !== 'delivered' || receiptAt === null) return { text };
  const values = { time: time.near(receiptAt, createdAt) };
  return { text: isReceiptExact ? 'delivered {time}' : 'delivered by {time}', values };
}

/** Returns the recipient of a message; phone numbers are masked. */
export function shownRecipient({ channel, recipient }: DeliveryRecord): string {
  return isForTelephone(channel) ? maskPhone(recipient) : recipient;
}

/**
 * Returns how a message matched a requested phone: by its whole number, or by the masked rest, which may
 * belong to another phone.
 */
export function matchKind(
  { recipient }: DeliveryRecord,
  { phone }: DeliveryFilter,
): 'number' | 'masked' | null {
  if (phone === undefined) return null;
  return isMaskedPhone(recipient) ? 'masked' : 'number';
}

/** Formats a time in ISO 8601. */
function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
