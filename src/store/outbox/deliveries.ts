import { sql } from 'kysely';

import { type Connection, type Engine, takeLock } from '../engine/engine';
import type { HotStatement } from '../engine/hot-statement';
import { type AttemptRecord, readAttempts } from './outbox';
import { type MessageChannel, OF_CODES } from './channels';
import { type DeliveryFilter, type PageStart, type Question, questionOf } from './delivery-filter';
import { type ListedRow, search } from './delivery-search';
import { type MessageState, NOTE_LIFETIME_MS } from './messages';
import type { AWAITED, ReceiptState } from './receipts';
import { type Reason, readReason, reasonColumns } from './reasons';
import { countPushes, type PushCount, REQUEST_ENDS } from './request-ends';

/** A message as the operator sees it. Points in time are milliseconds since 1970 UTC. */
export interface DeliveryRecord {
  readonly id: string;
  readonly channel: MessageChannel;
  readonly state: MessageState;
  readonly recipient: string;
  readonly school: string;
  readonly attempts: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly nextAttemptAt: number;
  readonly expiresAt: number;
  readonly providerId: string | null;
  readonly reason: Reason | null;
  /** Name of who asked for it; null where nobody is known. */
  readonly caller: string | null;
  /** Of a push message, the request that it was made of; null where that is not known. */
  readonly requestId: string | null;
  /** Of a request of which push messages were made, how many students of the class there was none for. */
  readonly withoutDevice: number | null;
  /** Of a request, the note that it is for; null where that is not known. */
  readonly note: string | null;
  /** As how many SMS it was sent; null where it was not, and for everything else. */
  readonly parts: number | null;
  /** Of an SMS that was sent through a gateway that sends receipts; null for everything else. */
  readonly receipt: ReceiptState | typeof AWAITED | null;
  /** The gateway's code for what became of the SMS, and its meaning. */
  readonly receiptCode: string | null;
  readonly receiptAt: number | null;
}

/** Some of the messages of a filter, the newest first. */
export interface DeliveryPage {
  readonly messages: readonly DeliveryRecord[];
  /** The id before which the next page begins; undefined where this is the last one. */
  readonly next: string | undefined;
}

/** What has come to an end, and may be tried again. */
const ENDED_UNSENT = ['failed', 'expired', 'suppressed'] as const satisfies readonly MessageState[];
/** Requests that one statement opens again. */
const CHUNK = 500;

/** A worker that has messages leased. */
export interface BusyWorker {
  /** Host, process and a word of its own. */
  readonly owner: string;
  readonly messages: number;
}

const BUSY_WORKERS: HotStatement<undefined, readonly [owner: string, messages: number]> = {
  name: 'busy_workers',
  kind: 'read',
  build: () => sql`select lease_owner, count(*) from messages
    where state = 'sending' and lease_owner is not null group by lease_owner order by lease_owner`,
};

/** The operator's side of the outbox. */
export class Deliveries {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * The newest messages of a filter. A page may hold fewer than `limit` although there are more: whoever asks with
   * `next` until there is none has seen each message once.
   *
   * @param before - id; only messages older than that one
   */
  page(filter: DeliveryFilter, limit: number, before?: string): Promise<DeliveryPage> {
    return this.#page(filter, limit, { before });
  }

  /**
   * The way back: of the messages that are newer than one the oldest, the newest of them first. `next` is the id behind
   * which the next page of still newer ones begins.
   *
   * @param after - id
   */
  async newerPage(filter: DeliveryFilter, limit: number, after: string): Promise<DeliveryPage> {
    const { messages, next } = await this.#page(filter, limit, { after });
    return { messages: messages.toReversed(), next };
  }

  async #page(filter: DeliveryFilter, limit: number, start: PageStart): Promise<DeliveryPage> {
    const question = await questionOf(this.#engine.direct, filter, start);
    const { rows, next } = await search(this.#engine.direct, question, limit);
    return { messages: rows.map(toRecord), next };
  }

  /** The newest first, page by page until there are `limit` or no more. */
  async list(filter: DeliveryFilter, limit: number): Promise<readonly DeliveryRecord[]> {
    const messages: DeliveryRecord[] = [];
    let before: string | undefined;
    do {
      const page = await this.page(filter, limit - messages.length, before);
      messages.push(...page.messages);
      before = page.next;
    } while (before !== undefined && messages.length < limit);
    return messages;
  }

  /** Returns the workers on all nodes that are sending messages now. */
  async busyWorkers(): Promise<readonly BusyWorker[]> {
    const rows = await this.#engine.direct.rows(BUSY_WORKERS, undefined);
    return rows.map(([owner, messages]) => ({ owner, messages }));
  }

  /** What became of the push messages of a request so far, the largest number first. */
  pushCounts(request: string): Promise<readonly PushCount[]> {
    return countPushes(this.#engine.direct, request);
  }

  /** Every attempt to deliver a message, the first one first. */
  async attemptsOf(id: string): Promise<readonly AttemptRecord[]> {
    const row = await this.#engine.direct.kysely
      .selectFrom('messages')
      .select('attempt_log')
      .where('id', '=', id)
      .executeTakeFirst();
    return readAttempts(row?.attempt_log ?? null);
  }

  /**
   * Queues again what has come to an end without being sent. A code is sent within its lifetime or not at all:
   * after that nobody waits for it, and it is erased. Of a request that push messages were made of, those are queued
   * that did not go, and it has no end again; without any, it is resolved anew.
   *
   * @returns how many messages
   */
  retry(filter: DeliveryFilter, now: number): Promise<number> {
    return this.#engine.write(async (connection) => {
      const { kysely, engine } = connection;
      await takeLock(kysely, engine, [REQUEST_ENDS]);
      const question = await questionOf(connection, filter);
      const queueAgain = kysely
        .updateTable('messages')
        .set({
          state: 'queued',
          attempts: 0,
          abandoned: null,
          next_attempt_at: now,
          expires_at: sql`case when expires_at > ${now} then expires_at else ${now + NOTE_LIFETIME_MS} end`,
          ...reasonColumns(null),
          updated_at: now,
          resolved_at: null,
          without_device: null,
        })
        .where('state', 'in', ENDED_UNSENT)
        .where('payload', 'is not', null)
        .returning('request_id');
      const named = await queueAgain
        .where('id', 'in', matching(connection, question))
        .where((where) => where.or([where.not(OF_CODES), where('expires_at', '>', now)]))
        .where((where) =>
          where.or([
            where('resolved_at', 'is', null),
            where.not(
              where.exists(
                where
                  .selectFrom('messages as push')
                  .select('push.id')
                  .whereRef('push.request_id', '=', 'messages.id'),
              ),
            ),
          ]),
        )
        .execute();
      const ofRequests = await queueAgain
        .where('request_id', 'in', resolvedRequests(connection, question))
        .execute();
      const all = [...named, ...ofRequests];
      await reopen(
        connection,
        all.flatMap(({ request_id }) => request_id ?? []),
        now,
      );
      return all.length;
    });
  }

  /**
   * Takes messages that wait out of the queue, those of requests among them. One that is just being sent stays.
   *
   * @returns how many messages
   */
  cancel(filter: DeliveryFilter, now: number): Promise<number> {
    return this.#engine.write(async (connection) => {
      const question = await questionOf(connection, filter);
      const takeOut = connection.kysely
        .updateTable('messages')
        .set({
          state: 'suppressed',
          payload: sql`case when ${OF_CODES} then null else payload end`,
          ...reasonColumns({ code: 'cancelled' }),
          updated_at: now,
        })
        .where('state', '=', 'queued');
      const results = [
        await takeOut.where('id', 'in', matching(connection, question)).executeTakeFirst(),
        await takeOut.where('request_id', 'in', resolvedRequests(connection, question)).executeTakeFirst(),
      ];
      return results.reduce((sum, { numUpdatedRows }) => sum + Number(numUpdatedRows), 0);
    });
  }
}

/** The requests among those that are meant of which push messages were made. */
function resolvedRequests(connection: Connection, question: Question) {
  return matching(connection, question).where('channel', '=', 'mark').where('resolved_at', 'is not', null);
}

/** Takes requests for not ended: some of their push messages are to be sent again. */
async function reopen({ kysely }: Connection, requests: readonly string[], now: number): Promise<void> {
  const ids = [...new Set(requests)];
  for (let at = 0; at < ids.length; at += CHUNK) {
    await kysely
      .updateTable('messages')
      .set({ state: 'open', ...reasonColumns(null), updated_at: now })
      .where('id', 'in', ids.slice(at, at + CHUNK))
      .where('resolved_at', 'is not', null)
      .execute();
  }
}

/** Each with its id alone: what is asked of an `in`. */
function matching({ kysely }: Connection, { all }: Question) {
  return kysely.selectFrom('messages').select('id').where(all);
}

function toRecord(row: ListedRow): DeliveryRecord {
  return {
    id: row.id,
    // Only this program writes these two columns, from these types.
    channel: row.channel as MessageChannel,
    state: row.state as MessageState,
    recipient: row.recipient,
    school: row.school,
    attempts: row.attempts,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    nextAttemptAt: row.next_attempt_at,
    expiresAt: row.expires_at,
    providerId: row.provider_id,
    reason: readReason(row.reason, row.reason_params),
    caller: row.caller,
    requestId: row.request_id,
    withoutDevice: row.without_device,
    note: row.note,
    parts: row.parts,
    // Only this program writes the column, from this type.
    receipt: row.receipt as DeliveryRecord['receipt'],
    receiptCode: row.receipt_code,
    receiptAt: row.receipt_at,
  };
}
