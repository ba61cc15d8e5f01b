import {
  adviceOnHold,
  adviceOnReason,
  type AttemptRecord,
  type DeliveryRecord,
  hasProvider,
  holdNow,
  holdsCode,
  type Reason,
  reasonText,
} from '../../store';
import type { Sentence } from '../../support/phrase';
import type { Text } from '../texts/words';
import { receiptText, shownRecipient } from './records';
import { explanationFor, type Moment } from './waiting-text';
import type { TimeText } from './time-text';

/** Explains a message's state to people, and advises what to do, in whole sentences. */
export function adviceOn(message: DeliveryRecord, moment: Moment, time: TimeText): readonly Sentence<Text>[] {
  const { state, reason } = message;
  if (state === 'queued') {
    const hold = holdNow(moment.holds, message);
    const why = hold === undefined ? reason && adviceOnReason(reason) : adviceOnHold(hold);
    const explained = explanationFor(message, moment, time);
    return [...(explained === undefined ? [] : [explained]), ...(why ?? [])];
  }
  return [
    BY_STATE[state](message, moment.now, time),
    ...(state === 'sent' && hasProvider(message.channel) ? [receiptSentence(message, time)] : []),
    ...(reason === null ? [] : adviceOnReason(reason)),
  ];
}

const BY_STATE: Readonly<
  Record<
    Exclude<DeliveryRecord['state'], 'queued'>,
    (message: DeliveryRecord, now: number, time: TimeText) => Sentence<Text>
  >
> = {
  sending: () => 'Being sent now.',
  open: () => 'Some of its push messages have not been sent yet.',
  sent: ({ channel, updatedAt, providerId }, _now, time) => {
    if (!hasProvider(channel)) return 'All of its push messages were sent.';
    const at = time.of(updatedAt);
    return providerId === null
      ? { text: 'Accepted by the provider at {time}.', values: { time: at } }
      : { text: 'Accepted by the provider at {time} (id {id}).', values: { time: at, id: providerId } };
  },
  written: ({ channel }) =>
    hasProvider(channel)
      ? 'Written to a file, not sent: no gateway is configured for it, or it is a test number.'
      : 'Its push messages were written to a file, not sent: no gateway is configured.',
  partly: () => 'Some of its push messages were sent, others were not.',
  failed: ({ channel, expiresAt }, now) =>
    holdsCode(channel) && expiresAt <= now
      ? 'Not sent. The code has expired; request a new one.'
      : 'Not sent. It will not be retried automatically.',
  expired: ({ channel }) =>
    holdsCode(channel)
      ? 'The code expired before it was sent; request a new one.'
      : 'It was not sent in time.',
  suppressed: () => 'Not sent, on purpose.',
};

function receiptSentence(message: DeliveryRecord, time: TimeText): Sentence<Text> {
  const { receipt, receiptAt, isReceiptExact, receiptCode } = message;
  const when = receiptAt === null ? '' : ' at {time}';
  const values = { time: receiptAt === null ? '' : time.of(receiptAt), code: receiptCode ?? '' };
  switch (receipt) {
    case 'delivered':
      return isReceiptExact || receiptAt === null
        ? { text: `Delivered${when}.`, values }
        : { text: 'Delivered by {time}; the gateway does not say when.', values };
    case 'undelivered':
      return { text: `Not delivered, the gateway reported${when}${receiptCode ? ' ({code})' : ''}.`, values };
    case 'waiting':
      if (receiptCode !== null)
        return {
          text: 'The gateway reported something that no rule in GATEWAYS_FILE names ({code}).',
          values,
        };
      return 'No receipt yet; many networks never send one.';
    case null:
      return 'Only the provider knows whether it was delivered.';
  }
}

export const REASON_COLUMNS = ['reason', 'explanation'] as const;

/** Returns a reason's cells; empty without a reason. */
export function reasonCells(reason: Reason | null): readonly string[] {
  return reason === null ? ['', ''] : [reason.code, reasonText(reason)];
}

export const ATTEMPT_COLUMNS = [
  'attempt',
  'at',
  'provider',
  'outcome',
  'status',
  'seconds',
  'parts',
  'provider id',
  ...REASON_COLUMNS,
];

/** Text, or a point in time to be shown in the reader's time zone. */
export type Fact = string | Date;

/** Lists everything known about a message, by name; a phone number is masked. */
export function listFacts(message: DeliveryRecord): readonly (readonly [name: string, value: Fact])[] {
  const facts: Readonly<Record<string, string | number | Date | null>> = {
    id: message.id,
    channel: message.channel,
    state: message.state,
    to: shownRecipient(message),
    school: message.school,
    caller: message.caller,
    request: message.requestId,
    'without a device': message.withoutDevice,
    attempts: message.attempts,
    created: new Date(message.createdAt),
    changed: new Date(message.updatedAt),
    'next attempt': message.state === 'queued' ? new Date(message.nextAttemptAt) : null,
    expires: new Date(message.expiresAt),
    'provider id': message.providerId,
    receipt: receiptText(message),
    'receipt code': message.receiptCode,
    [receiptTimeName(message)]: message.receiptAt === null ? null : new Date(message.receiptAt),
    parts: message.receipt === null ? null : message.parts,
    reason: message.reason?.code ?? null,
    explanation: message.reason && reasonText(message.reason),
  };
  return Object.entries(facts).flatMap(([name, value]) =>
    value === null || value === '' ? [] : [[name, value instanceof Date ? value : String(value)] as const],
  );
}

function receiptTimeName({ receipt, isReceiptExact }: DeliveryRecord): string {
  if (receipt !== 'delivered') return 'receipt time';
  return isReceiptExact ? 'delivered at' : 'delivered by';
}

export function attemptCells(attempt: AttemptRecord): readonly Fact[] {
  const { number, at, provider, outcome, status, milliseconds, parts, providerId, reason } = attempt;
  const seconds = milliseconds === null ? null : (milliseconds / 1000).toFixed(2);
  return [
    ...[String(number), new Date(at), provider ?? 'none', outcome],
    ...[status, seconds, parts, providerId].map((value) => (value === null ? '' : String(value))),
    ...reasonCells(reason),
  ];
}
