import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Connection, HotStatement, SqlValue } from '../engine/engine';
import { newMessageId } from './message-id';
import type { MessageTable } from '../engine/schema';
import { storableText } from '../queries/storable-text';

/** `mark` is a SendMarkNotes request that is still to be resolved into one `push` message per device. */
export const MESSAGE_CHANNELS = ['sms', 'push', 'mark'] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];

export const MESSAGE_STATES = ['queued', 'sending', 'sent', 'failed', 'expired', 'suppressed'] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

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
}

export interface Message extends Omit<NewMessage, 'payload' | 'notBefore'> {
  readonly id: string;
  readonly state: MessageState;
  /** Null once it is erased. */
  readonly payload: Readonly<Record<string, string>> | null;
  readonly attempts: number;
  readonly nextAttemptAt: number;
}

const COLUMNS = [
  'id',
  'channel',
  'state',
  'recipient',
  'school',
  'payload',
  'dedupe_key',
  'attempts',
  'next_attempt_at',
  'expires_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof MessageTable)[];

type StoredColumns = Pick<MessageTable, (typeof COLUMNS)[number]>;

const PLACEHOLDERS: StoredColumns = {
  id: '',
  channel: '',
  state: '',
  recipient: '',
  school: '',
  payload: '',
  dedupe_key: '',
  attempts: 0,
  next_attempt_at: 0,
  expires_at: 0,
  created_at: 0,
  updated_at: 0,
};

const ENQUEUE: HotStatement<readonly []> = {
  name: 'enqueue_message',
  kind: 'write',
  build: (db) => db.insertInto('messages').values(PLACEHOLDERS),
};

/** Messages that one statement stores: a thousand parameters, a millisecond or two. */
const CHUNK = 100;

const ENQUEUE_CHUNK: HotStatement<readonly []> = {
  name: 'enqueue_messages',
  kind: 'write',
  build: (db) => db.insertInto('messages').values(Array.from({ length: CHUNK }, () => PLACEHOLDERS)),
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
    await this.#connection.rows(ENQUEUE, valuesOf(row));
    return row.id;
  }

  /** Stores many, in a transaction. The event loop gets its turn between chunks. */
  async enqueueAll(messages: readonly NewMessage[]): Promise<void> {
    const whole = messages.length - (messages.length % CHUNK);
    for (let at = 0; at < whole; at += CHUNK) {
      const values = messages.slice(at, at + CHUNK).flatMap((message) => valuesOf(toRow(message)));
      await this.#connection.rows(ENQUEUE_CHUNK, values);
      await nextTurn();
    }
    for (const message of messages.slice(whole)) await this.enqueue(message);
  }

  /** The newest messages first. */
  async list({ limit }: { readonly limit: number }): Promise<readonly Message[]> {
    const rows = await this.#connection.kysely
      .selectFrom('messages')
      .select(COLUMNS)
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    return rows.map(toMessage);
  }
}

/** What a message of this kind holds beside its recipient, as the store keeps it. */
export function readPayload(text: string | null): Readonly<Record<string, string>> | null {
  // Only this program writes the column, from this type.
  return text === null ? null : (JSON.parse(text) as Readonly<Record<string, string>>);
}

function toRow(message: NewMessage): StoredColumns {
  return {
    id: newMessageId(message.createdAt),
    channel: message.channel,
    state: 'queued' satisfies MessageState,
    recipient: storableText(message.recipient),
    school: storableText(message.school),
    // JSON spells U+0000 and lone surrogates as escapes: the payload keeps every text exactly.
    payload: JSON.stringify(message.payload),
    dedupe_key: message.dedupeKey === null ? null : storableText(message.dedupeKey),
    attempts: 0,
    next_attempt_at: message.notBefore ?? message.createdAt,
    expires_at: message.expiresAt,
    created_at: message.createdAt,
    updated_at: message.createdAt,
  };
}

function valuesOf(row: StoredColumns): SqlValue[] {
  return COLUMNS.map((column): SqlValue => row[column]);
}

function toMessage(row: StoredColumns): Message {
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
  };
}
