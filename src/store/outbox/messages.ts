import { randomFillSync } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { sql } from 'kysely';

import { Repository } from '../engine/engine';
import { hotWrite } from '../engine/hot-statement';
import type { MessageTable } from '../engine/schema';
import { storableText } from '../queries/schools';
import type { MessageChannel } from './channels';

const random = new Uint8Array(4096);
const RANDOM_PART = 10;
let used = random.length;
let lastTime = 0;
let counter = 0;

/**
 * Creates a version 7 UUID (RFC 9562): sorts by time, and within one process and millisecond in call order
 * (12-bit counter, method 1), so that messages leave in the order in which they arrived.
 *
 * @param time - milliseconds since 1970 UTC
 */
export function newMessageId(time: number): string {
  if (time > lastTime) {
    lastTime = time;
    counter = 0;
  } else if (++counter > 0xfff) {
    // After 4,096 in one millisecond: runs ahead of the clock to preserve the order.
    lastTime += 1;
    counter = 0;
  }
  if (used + RANDOM_PART > random.length) {
    randomFillSync(random);
    used = 0;
  }
  const tail = Buffer.from(random.buffer, used, RANDOM_PART).toString('hex');
  used += RANDOM_PART;

  const stamp = lastTime.toString(16).padStart(12, '0');
  const sequence = counter.toString(16).padStart(3, '0');
  const variant = '89ab'.charAt(Number.parseInt(tail.charAt(0), 16) & 3);
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${sequence}-${variant}${tail.slice(1, 4)}-${tail.slice(4, 16)}`;
}

/** Returns the smallest possible id of a time: earlier ids sort before it, later ones after it. */
export function firstMessageId(time: number): string {
  const stamp = time.toString(16).padStart(12, '0');
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}`;
}

/** Returns the creation time of a message's id, in milliseconds since 1970 UTC. */
export function timeOfMessageId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Final states; only a retry by the operator changes them. */
export const ENDED_STATES = ['sent', 'written', 'partly', 'failed', 'expired', 'suppressed'] as const;
export type EndedState = (typeof ENDED_STATES)[number];

/**
 * `open` and `partly` are states of requests: push messages were made from it, and some of them were sent.
 * `written` is the final state of a message that was written to a file and not sent.
 */
export const MESSAGE_STATES = ['queued', 'sending', 'open', ...ENDED_STATES] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** State filters. */
export const STATE_CHOICES = [...MESSAGE_STATES, 'failed_or_expired'] as const;
export type StateChoice = (typeof STATE_CHOICES)[number];

/** Returns the states that a filter selects. */
export function chosenStates(choice: StateChoice): readonly MessageState[] {
  return choice === 'failed_or_expired' ? ['failed', 'expired'] : [choice];
}

/** Tells whether a message in this state went where its channel sends: to a provider, or to a file. */
export function hasGone(state: MessageState): boolean {
  return state === 'sent' || state === 'written';
}

/** States of messages that are waiting or being sent. */
export const LIVE_STATES: readonly MessageState[] = ['queued', 'sending'];

/**
 * Lifetime of a class's note, in milliseconds: time to wait for its school, class or text to be loaded, and
 * for the phones to be reached. A retry by the operator starts it again.
 */
export const NOTE_LIFETIME_MS = 24 * 60 * 60_000;

/**
 * Trace context of a message, in the format of the W3C Trace Context headers. It is stored in the payload, so
 * that messages without it cost nothing extra, and is erased with it.
 */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** A message for delivery. Points in time are milliseconds since 1970 UTC. */
export interface NewMessage {
  readonly channel: MessageChannel;
  /** Recipient: the phone of an `sms`, the device of a `push`, the class of a `mark`. */
  readonly recipient: string;
  /** Canonical URL of the school, empty if there is none. */
  readonly school: string;
  /** Data that the channel needs besides the recipient; can be erased later. */
  readonly payload: Readonly<Record<string, string>>;
  readonly createdAt: number;
  /** Earliest time of sending; default: at once. */
  readonly notBefore?: number;
  /** Time after which it is useless and no longer sent. */
  readonly expiresAt: number;
  /** Equal for duplicates, of which only one is sent; at most 256 characters. */
  readonly dedupeKey: string | null;
  /** Name of the caller; absent for an unknown caller. */
  readonly caller?: string | undefined;
  /** Destination area of a code; absent if it is not counted. */
  readonly area?: string | undefined;
  /** Request from which a push message is made. */
  readonly requestId?: string;
  /** Destination country of a code, or a calling code after a plus sign; empty if not known. */
  readonly country?: string;
  readonly note?: string;
  readonly trace?: TraceContext | undefined;
}

/** Number of messages stored before other work gets a turn: a millisecond or two. */
const CHUNK = 100;

const TEXT_COLUMNS = [
  'id',
  'channel',
  'state',
  'recipient',
  'school',
  'payload',
  'dedupe_key',
  'caller',
  'area',
  'request_id',
  'country',
  'note',
] as const satisfies readonly (keyof MessageTable)[];
const INTEGER_COLUMNS = [
  'attempts',
  'next_attempt_at',
  'expires_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof MessageTable)[];

/** Columns set when a message is stored; the others are filled when it is leased and settled. */
type NewRow = Pick<MessageTable, (typeof TEXT_COLUMNS | typeof INTEGER_COLUMNS)[number]>;

const ENQUEUE = hotWrite<NewRow, readonly []>(
  'enqueue_message',
  (param, calls) => {
    const columns = sql.join([...TEXT_COLUMNS, ...INTEGER_COLUMNS].map((column) => sql.ref(column)));
    return sql`insert into messages (${columns}) ${calls.rows([
      ...TEXT_COLUMNS.map((column) => param((row) => row[column])),
      ...INTEGER_COLUMNS.map((column) => param.integer((row) => row[column])),
    ])}`;
  },
  { gathers: true },
);

/** The outbox: messages for delivery, in the same database as the rows they belong with. */
export class Messages extends Repository {
  /**
   * Stores a message for delivery. Outside a transaction it is durable when this resolves.
   *
   * @returns the message's id
   */
  async enqueue(message: NewMessage): Promise<string> {
    const row = toRow(message);
    await this.connection.rows(ENQUEUE, row);
    return row.id;
  }

  /** Stores many messages, in a transaction. Other work gets a turn between chunks. */
  async enqueueAll(messages: readonly NewMessage[]): Promise<void> {
    for (let at = 0; at < messages.length; at += CHUNK) {
      if (at > 0) await nextTurn();
      await this.connection.rowsOfAll(ENQUEUE, messages.slice(at, at + CHUNK).map(toRow));
    }
  }
}

export function readPayload(text: string | null): Readonly<Record<string, string>> | null {
  // Only this program writes the column, from this type.
  return text === null ? null : (JSON.parse(text) as Readonly<Record<string, string>>);
}

function makePayload({ payload, trace }: NewMessage): Readonly<Record<string, string | undefined>> {
  if (trace === undefined) return payload;
  // A trace object may have more fields, which are not stored.
  const { traceparent, tracestate } = trace;
  return { ...payload, traceparent, tracestate };
}

export function readTrace(payload: Readonly<Record<string, string>> | null): TraceContext | undefined {
  const traceparent = payload?.['traceparent'];
  return traceparent === undefined ? undefined : { traceparent, tracestate: payload?.['tracestate'] };
}

function toRow(message: NewMessage): NewRow {
  return {
    id: newMessageId(message.createdAt),
    channel: message.channel,
    state: 'queued' satisfies MessageState,
    recipient: storableText(message.recipient),
    school: storableText(message.school),
    // JSON escapes U+0000 and lone surrogates, so the payload preserves every text exactly.
    payload: JSON.stringify(makePayload(message)),
    dedupe_key: message.dedupeKey === null ? null : storableText(message.dedupeKey),
    attempts: 0,
    next_attempt_at: message.notBefore ?? message.createdAt,
    expires_at: message.expiresAt,
    created_at: message.createdAt,
    updated_at: message.createdAt,
    caller: message.caller ?? null,
    area: message.area ?? null,
    request_id: message.requestId ?? null,
    country: message.country ?? null,
    note: message.note === undefined ? null : storableText(message.note),
  };
}
