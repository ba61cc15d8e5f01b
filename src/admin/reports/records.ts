import { amountText } from '../../delivery/sms-prices';
import { csvLine, type DeliveryFilter, type DeliveryRecord, isForTelephone, reasonText } from '../../store';
import type { Sentence } from '../../support/phrase';
import { isMaskedPhone, maskPhone } from '../../support/masks';
import { numberText, shown, shownJson } from '../../support/text';
import { USAGE_STATES, type UsageGroup, type UsageLine, type UsageReport } from './usage-report';

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

type Value = string | number | null;

/** Lists the fields of a message in JSON and CSV, in this order; docs/messages.md explains them. */
const FIELDS = {
  id: ({ id }) => id,
  channel: ({ channel }) => channel,
  state: ({ state }) => state,
  to: (message) => shownRecipient(message),
  match: (message, filter) => matchKind(message, filter),
  school: ({ school }) => (school === '' ? null : school),
  request: ({ requestId }) => requestId,
  note: ({ note }) => note,
  caller: ({ caller }) => caller,
  attempts: ({ attempts }) => attempts,
  reason: ({ reason }) => reason?.code ?? null,
  reasonText: ({ reason }) => reason && reasonText(reason),
  providerId: ({ providerId }) => providerId,
  created: ({ createdAt }) => isoTime(createdAt),
  changed: ({ updatedAt }) => isoTime(updatedAt),
  nextAttempt: ({ state, nextAttemptAt }) => (state === 'queued' ? isoTime(nextAttemptAt) : null),
  expires: ({ expiresAt }) => isoTime(expiresAt),
  parts: ({ parts }) => parts,
  receipt: (message) => receiptText(message),
  receiptCode: ({ receiptCode }) => receiptCode,
  receiptTime: ({ receiptAt }) => receiptAt && isoTime(receiptAt),
} as const satisfies Readonly<Record<string, (message: DeliveryRecord, filter: DeliveryFilter) => Value>>;

export function deliveryLines(messages: readonly DeliveryRecord[], filter: DeliveryFilter): string {
  return messages
    .map((message) => {
      const fields = Object.entries(FIELDS).map(([name, value]) => [name, value(message, filter)] as const);
      return jsonLine(Object.fromEntries(fields));
    })
    .join('');
}

export function deliveryCsv(messages: readonly DeliveryRecord[], filter: DeliveryFilter): string {
  const rows = messages.map((message) =>
    Object.values(FIELDS).map((value) => String(value(message, filter) ?? '')),
  );
  return csvTable(Object.keys(FIELDS), rows);
}

/** Returns what a gateway reported about an SMS that it accepted; null where it sends no receipts. */
export function receiptText({ receipt }: DeliveryRecord): string | null {
  return receipt === 'waiting' ? 'no receipt' : receipt;
}

/** Returns the recipient of a message; phone numbers are masked. */
export function shownRecipient({ channel, recipient }: DeliveryRecord): string {
  return isForTelephone(channel) ? maskPhone(recipient) : recipient;
}

/**
 * Returns how a message matched a requested phone: by its whole number, or by the masked rest, which may belong to
 * another phone.
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

export interface UsageHead {
  readonly month: string;
  readonly by: UsageGroup;
  readonly timeZone: string;
}

export const USAGE_COLUMNS = ['messages', ...USAGE_STATES, 'SMS', 'price'] as const;

export function usageName({ name }: UsageLine): string {
  return name === '' ? '(none)' : name;
}

export function usageCells({ messages, states, parts, prices }: UsageLine): readonly string[] {
  const counts = [messages, ...USAGE_STATES.map((state) => states[state]), parts];
  const price = listCurrencies([{ prices }]).map(
    (currency) => `${amountText(prices.get(currency) ?? 0n)} ${currency}`,
  );
  return [...counts.map(numberText), price.join(' + ')];
}

/** Returns a note about SMS without a known price. */
export function withoutPrice(
  { unpricedParts }: UsageLine,
  countries: readonly string[],
): readonly Sentence[] {
  if (unpricedParts === 0) return [];
  const named = countries.filter((country) => country !== '').join(', ');
  const text = 'The price excludes {n} SMS: DELIVERY_FILE has no smsPrices for {countries}.';
  const unknown = {
    text: named === '' ? 'unknown countries' : '{named}, unknown countries',
    values: { named },
  };
  return [{ text, values: { n: unpricedParts, countries: countries.includes('') ? unknown : named } }];
}

/** Returns CSV with a record for each group, and a column for each currency. */
export function usageCsv({ lines }: UsageReport, { by }: UsageHead): string {
  const currencies = listCurrencies(lines);
  return csvTable(
    [by, 'messages', ...USAGE_STATES, 'sms', 'smsWithoutPrice', ...currencies],
    lines.map(({ name, messages, states, parts, unpricedParts, prices }) => [
      name,
      ...[messages, ...USAGE_STATES.map((state) => states[state]), parts, unpricedParts].map(String),
      ...currencies.map((currency) => amountText(prices.get(currency) ?? 0n)),
    ]),
  );
}

/** Returns the currencies in alphabetical order. */
export function listCurrencies(lines: readonly Pick<UsageLine, 'prices'>[]): readonly string[] {
  return [...new Set(lines.flatMap(({ prices }) => [...prices.keys()]))].sort();
}
