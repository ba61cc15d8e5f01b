import { sql } from 'kysely';

import { type Connection, type Engine, EngineRepository, takeLock } from '../engine/engine';
import { hotRead } from '../engine/hot-statement';
import { type AttemptRecord, readAttempts } from './outbox';
import { type MessageChannel, OF_CODES } from './channels';
import {
  type DeliveryFilter,
  type ListedRow,
  type PageStart,
  type Question,
  toQuestion,
  search,
} from './delivery-filter';
import { type MessageState, NOTE_LIFETIME_MS } from './messages';
import { AWAITED, type ReceiptState } from './receipt-states';
import { type Reason, readReason, reasonColumns } from './reasons';
import { type CodeResults, readCodeResults } from './code-results';
import { readRecent, type RecentMessages } from './recent';
import { countPushes, type PushCount, REQUEST_ENDS } from './request-ends';

/** A message for the operator. Points in time are milliseconds since 1970 UTC. */
export interface DeliveryRecord {
  readonly id: string;
  readonly channel: MessageChannel;
  readonly state: MessageState;
  /** The phone of an `sms`, the device of a `push`, the class of a `mark`; ids as imported. */
  readonly recipient: string;
  readonly school: string;
  readonly attempts: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly nextAttemptAt: number;
  readonly expiresAt: number;
  readonly providerId: string | null;
  readonly reason: Reason | null;
  /** Name of the caller; null for an unknown caller. */
  readonly caller: string | null;
  /** Request from which a push message was made; null if not known. */
  readonly requestId: string | null;
  /** Number of students in the class of a resolved request without a push message. */
  readonly withoutDevice: number | null;
  /** Note of a request, as imported; null if not known. */
  readonly note: string | null;
  /** As how many SMS it was sent; null where it was not, and for everything else. */
  readonly parts: number | null;
  /** Receipt of an SMS whose gateway sends receipts; null for everything else. */
  readonly receipt: ReceiptState | typeof AWAITED | null;
  /** The gateway's code for what became of the SMS, and its meaning. */
  readonly receiptCode: string | null;
  readonly receiptAt: number | null;
  /** False if it was delivered, or given up, at some moment until `receiptAt`. */
  readonly isReceiptExact: boolean;
}

/** A page of the messages that match a filter, newest first. */
export interface DeliveryPage {
  readonly messages: readonly DeliveryRecord[];
  /** Id before which the next page begins; undefined on the last page. */
  readonly next: string | undefined;
}

/** Final states that can be retried. */
const ENDED_UNSENT = ['failed', 'expired', 'suppressed'] as const satisfies readonly MessageState[];
/** Number of requests that one statement reopens. */
const CHUNK = 500;

/** A worker with leased messages. */
export interface BusyWorker {
  /** Host, process, and a random suffix. */
  readonly owner: string;
  readonly messages: number;
}

const BUSY_WORKERS = hotRead<undefined, readonly [owner: string, messages: number]>(
  'busy_workers',
  () => sql`select lease_owner, count(*) from messages
    where state = 'sending' and lease_owner is not null group by lease_owner order by lease_owner`,
);

/** The outbox from the operator's side. */
export class Deliveries extends EngineRepository {
  readonly #hasSpellings: boolean;

  /** @param hasSpellings - false if every id is stored as imported */
  constructor(engine: Engine, hasSpellings: boolean) {
    super(engine);
    this.#hasSpellings = hasSpellings;
  }

  /**
   * Lists the newest messages that match a filter. A page may contain fewer than `limit` although there are
   * more: following `next` until it is undefined returns each message once. With `start.after`, these are the
   * oldest of the newer messages, and `next` is the id after which the next page of still newer ones begins.
   */
  async page(filter: DeliveryFilter, limit: number, start: PageStart = {}): Promise<DeliveryPage> {
    const question = await toQuestion(this.engine.direct, filter, start);
    const { rows, next } = await search(this.engine.direct, question, limit, this.#hasSpellings);
    const messages = rows.map(toRecord);
    return { messages: start.after === undefined ? messages : messages.toReversed(), next };
  }

  /** Lists messages, newest first, page by page until there are `limit` or no more. */
  async list(filter: DeliveryFilter, limit: number): Promise<readonly DeliveryRecord[]> {
    const messages: DeliveryRecord[] = [];
    let before: string | undefined;
    do {
      const page = await this.page(filter, limit - messages.length, { before });
      messages.push(...page.messages);
      before = page.next;
    } while (before !== undefined && messages.length < limit);
    return messages;
  }

  async busyWorkers(): Promise<readonly BusyWorker[]> {
    const rows = await this.engine.direct.rows(BUSY_WORKERS, undefined);
    return rows.map(([owner, messages]) => ({ owner, messages }));
  }

  /** Returns what became of the messages of the last 24 hours. @param now - milliseconds since 1970 UTC */
  recent(now: number): Promise<RecentMessages> {
    return readRecent(this.engine.reads ?? this.engine.direct, now);
  }

  /**
   * Returns what became of the codes that ended since a moment.
   *
   * @param since - milliseconds since 1970 UTC
   */
  codeResults(since: number): Promise<CodeResults> {
    return readCodeResults(this.engine.reads ?? this.engine.direct, since);
  }

  /** Counts the push messages of a request by their current state, largest number first. */
  pushCounts(request: string): Promise<readonly PushCount[]> {
    return countPushes(this.engine.direct, request);
  }

  async listAttempts(id: string): Promise<readonly AttemptRecord[]> {
    return (await this.attemptsOfAll([id])).get(id) ?? [];
  }

  async attemptsOfAll(ids: readonly string[]): Promise<ReadonlyMap<string, readonly AttemptRecord[]>> {
    if (ids.length === 0) return new Map();
    const rows = await this.engine.direct.kysely
      .selectFrom('messages')
      .select(['id', 'attempt_log'])
      .where('id', 'in', ids)
      .execute();
    return new Map(rows.map(({ id, attempt_log }) => [id, readAttempts(attempt_log)]));
  }

  /**
   * Queues unsent messages in a final state again. A code is only sent within its lifetime; after that it is
   * useless and gets erased. For a request resolved into push messages, the unsent ones are queued and the
   * request is reopened; a request without any is resolved again.
   *
   * @returns the number of messages
   */
  retry(filter: DeliveryFilter, now: number): Promise<number> {
    return this.engine.write(async (connection) => {
      const { kysely, engine } = connection;
      await takeLock(kysely, engine, [REQUEST_ENDS]);
      const question = await toQuestion(connection, filter);
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
   * Cancels waiting messages, including requests. A message that is currently being sent stays.
   *
   * @returns the number of messages
   */
  cancel(filter: DeliveryFilter, now: number): Promise<number> {
    return this.engine.write(async (connection) => {
      const question = await toQuestion(connection, filter);
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

/** Selects the matching requests from which push messages were made. */
function resolvedRequests(connection: Connection, question: Question) {
  return matching(connection, question).where('channel', '=', 'mark').where('resolved_at', 'is not', null);
}

/** Reopens requests: some of their push messages will be sent again. */
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
    receiptAt: row.receipt === AWAITED ? null : row.receipt_at,
    isReceiptExact: row.receipt_exact === 1,
  };
}
