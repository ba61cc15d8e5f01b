import type { Connection, HotStatement, SqlValue } from './engine';
import { newMessageId } from './message-id';
import type { MessageTable } from './schema';
import { storableText } from './storable-text';

/** `mark` is a SendMarkNotes request that is still to be resolved into one `push` message per device. */
export type MessageChannel = 'sms' | 'push' | 'mark';

export type MessageState = 'queued' | 'sending' | 'sent' | 'failed' | 'expired' | 'suppressed';

/** Codes go before marks. */
export const MESSAGE_PRIORITY = { code: 0, mark: 1 } as const;

/** What is to be delivered. Points in time are milliseconds since 1970 UTC. */
export interface NewMessage {
  readonly channel: MessageChannel;
  /** Whom it is for: the phone of an `sms`, the device of a `push`, the class of a `mark`. */
  readonly recipient: string;
  /** Canonical URL of the school, empty where there is none. */
  readonly school: string;
  /** What the channel needs beside the recipient; it can be erased later. */
  readonly payload: Readonly<Record<string, string>>;
  readonly priority: (typeof MESSAGE_PRIORITY)[keyof typeof MESSAGE_PRIORITY];
  readonly createdAt: number;
  /** From then on it is worthless and no longer sent. */
  readonly expiresAt: number;
  /** The same for messages of which one is enough; at most 256 characters. */
  readonly dedupeKey: string | null;
}

export interface Message extends Omit<NewMessage, 'payload' | 'priority'> {
  readonly id: string;
  readonly state: MessageState;
  readonly priority: number;
  /** Null once it is erased. */
  readonly payload: Readonly<Record<string, string>> | null;
  readonly attempts: number;
  readonly nextAttemptAt: number;
}

const COLUMNS = [
  'id',
  'channel',
  'state',
  'priority',
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
  priority: 0,
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
    const id = newMessageId(message.createdAt);
    const row: StoredColumns = {
      id,
      channel: message.channel,
      state: 'queued' satisfies MessageState,
      priority: message.priority,
      recipient: storableText(message.recipient),
      school: storableText(message.school),
      // JSON spells U+0000 and lone surrogates as escapes: the payload keeps every text exactly.
      payload: JSON.stringify(message.payload),
      dedupe_key: message.dedupeKey === null ? null : storableText(message.dedupeKey),
      attempts: 0,
      next_attempt_at: message.createdAt,
      expires_at: message.expiresAt,
      created_at: message.createdAt,
      updated_at: message.createdAt,
    };
    await this.#connection.rows(
      ENQUEUE,
      COLUMNS.map((column): SqlValue => row[column]),
    );
    return id;
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

function toMessage(row: StoredColumns): Message {
  return {
    id: row.id,
    // Only this program writes these two columns, from these types.
    channel: row.channel as MessageChannel,
    state: row.state as MessageState,
    priority: row.priority,
    recipient: row.recipient,
    school: row.school,
    payload: row.payload === null ? null : (JSON.parse(row.payload) as Readonly<Record<string, string>>),
    dedupeKey: row.dedupe_key,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
  };
}
