import { randomFillSync } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { sql } from 'kysely';

import type { Connection } from '../engine/engine';
import type { HotStatement } from '../engine/hot-statement';
import type { MessageTable } from '../engine/schema';
import { storableText } from '../queries/schools';
import type { MessageChannel } from './channels';

const random = new Uint8Array(4096);
const RANDOM_PART = 10;
let used = random.length;
let lastTime = 0;
let counter = 0;

/**
 * A UUID of version 7 (RFC 9562): sorts by time, and within one process and millisecond by the order of the
 * calls (12 bits of counter, method 1), so that messages leave in the order they came.
 *
 * @param time - milliseconds since 1970 UTC
 */
export function newMessageId(time: number): string {
  if (time > lastTime) {
    lastTime = time;
    counter = 0;
  } else if (++counter > 0xfff) {
    // 4,096 in one millisecond: run ahead of the clock rather than out of order.
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

/** What ids sort behind that are made at a time or later, and before which those are that were made earlier. */
export function firstMessageId(time: number): string {
  const stamp = time.toString(16).padStart(12, '0');
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}`;
}

/** When a message's id was made, in milliseconds since 1970 UTC. */
export function timeOfMessageId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** `open` and `partly` are states of requests: push messages were made of it, and some of them went. */
export const MESSAGE_STATES = [
  'queued',
  'sending',
  'open',
  'sent',
  'partly',
  'failed',
  'expired',
  'suppressed',
] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/** Of what is still to be sent, or just being sent. */
export const LIVE_STATES: readonly MessageState[] = ['queued', 'sending'];

/** Of what came to its end; nothing but a retry by the operator changes it. */
export const ENDED_STATES = [
  'sent',
  'partly',
  'failed',
  'expired',
  'suppressed',
] as const satisfies readonly MessageState[];

/**
 * So long a note for a class waits for its school, class or text to be loaded, and for the telephones to be
 * reached; and as long again when the operator has it tried again after its end. In milliseconds.
 */
export const NOTE_LIFETIME_MS = 24 * 60 * 60_000;

/**
 * What a message is a part of elsewhere, in the words of the headers of W3C Trace Context. It lies in the payload, so that
 * a message without it costs nothing more, and is erased with it.
 */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

/** What is to be delivered. Points in time are milliseconds since 1970 UTC. */
export interface NewMessage {
  readonly channel: MessageChannel;
  /** Whom it is for: the phone of an `sms`, the device of a `push`, the class of a `mark`. */
  readonly recipient: string;
  /** Canonical URL of the school, empty where there is none. */
  readonly school: string;
  /** What the channel needs beside the recipient; it can be erased later. */
  readonly payload: Readonly<Record<string, string>>;
  readonly createdAt: number;
  /** Not sent before; at once unless given. */
  readonly notBefore?: number;
  /** From then on it is worthless and no longer sent. */
  readonly expiresAt: number;
  /** The same for messages of which one is enough; at most 256 characters. */
  readonly dedupeKey: string | null;
  /** Name of who asked for it; absent where nobody is known. */
  readonly caller?: string | undefined;
  /** Of a code, where it goes; absent where nobody counts that. */
  readonly area?: string | undefined;
  /** Of a push message, the request that it is made of. */
  readonly requestId?: string;
  /** Of a code, to which country it goes, or a calling code behind a plus; empty where nobody knows. */
  readonly country?: string;
  /** Of a request, the note that it is for. */
  readonly note?: string;
  readonly trace?: TraceContext | undefined;
}

export interface Message extends Omit<
  NewMessage,
  'payload' | 'notBefore' | 'area' | 'requestId' | 'country' | 'note' | 'trace'
> {
  readonly id: string;
  readonly state: MessageState;
  /** Null once it is erased. */
  readonly payload: Readonly<Record<string, string>> | null;
  readonly attempts: number;
  readonly nextAttemptAt: number;
}

/** What a message is stored with; the other columns are filled when it is leased and settled. */
type NewRow = Omit<
  MessageTable,
  | 'abandoned'
  | 'lease_owner'
  | 'lease_until'
  | 'provider_id'
  | 'gateway'
  | 'reason'
  | 'reason_params'
  | 'resolved_at'
  | 'without_device'
  | 'attempt_log'
  | 'parts'
  | 'receipt'
  | 'receipt_code'
  | 'receipt_at'
>;

/** Messages that are stored before others have their turn: a millisecond or two. */
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
] satisfies readonly (keyof NewRow)[];
const INTEGER_COLUMNS = [
  'attempts',
  'next_attempt_at',
  'expires_at',
  'created_at',
  'updated_at',
] satisfies readonly (keyof NewRow)[];

const ENQUEUE: HotStatement<NewRow, readonly []> = {
  name: 'enqueue_message',
  kind: 'write',
  gathers: true,
  build: (_db, param, calls) => {
    const columns = sql.join([...TEXT_COLUMNS, ...INTEGER_COLUMNS].map((column) => sql.ref(column)));
    return sql`insert into messages (${columns}) ${calls.rows([
      ...TEXT_COLUMNS.map((column) => param((row) => row[column])),
      ...INTEGER_COLUMNS.map((column) => param.integer((row) => row[column])),
    ])}`;
  },
};

/** The outbox: what is to be delivered, in the database whose other rows it belongs with. */
export class Messages {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Stores a message for delivery. Outside a transaction it is durable when this resolves.
   *
   * @returns the message's id
   */
  async enqueue(message: NewMessage): Promise<string> {
    const row = toRow(message);
    await this.#connection.rows(ENQUEUE, row);
    return row.id;
  }

  /** Stores many, in a transaction. The event loop gets its turn between chunks. */
  async enqueueAll(messages: readonly NewMessage[]): Promise<void> {
    for (let at = 0; at < messages.length; at += CHUNK) {
      if (at > 0) await nextTurn();
      await this.#connection.rowsOfAll(ENQUEUE, messages.slice(at, at + CHUNK).map(toRow));
    }
  }

  /** The newest messages first. */
  async list({ limit }: { readonly limit: number }): Promise<readonly Message[]> {
    const rows = await this.#connection.kysely
      .selectFrom('messages')
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toMessage);
  }
}

/** What a message holds beside its recipient, as the store keeps it. */
export function readPayload(text: string | null): Readonly<Record<string, string>> | null {
  // Only this program writes the column, from this type.
  return text === null ? null : (JSON.parse(text) as Readonly<Record<string, string>>);
}

/** What is kept of a message beside its columns. */
function payloadOf({ payload, trace }: NewMessage): Readonly<Record<string, string | undefined>> {
  if (trace === undefined) return payload;
  // A trace may have more to it, which is not ours to keep.
  const { traceparent, tracestate } = trace;
  return { ...payload, traceparent, tracestate };
}

/** What a payload says that its message is a part of. */
export function traceOf(payload: Readonly<Record<string, string>> | null): TraceContext | undefined {
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
    // JSON spells U+0000 and lone surrogates as escapes: the payload keeps every text exactly.
    payload: JSON.stringify(payloadOf(message)),
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

function toMessage(row: MessageTable): Message {
  return {
    id: row.id,
    // Only this program writes these two columns, from these types.
    channel: row.channel as MessageChannel,
    state: row.state as MessageState,
    recipient: row.recipient,
    school: row.school,
    payload: readPayload(row.payload),
    dedupeKey: row.dedupe_key,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    caller: row.caller ?? undefined,
  };
}
