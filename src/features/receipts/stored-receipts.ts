import { type RawBuilder, sql } from 'kysely';

import type { Store } from '../../store';
import {
  AWAITED,
  type Connection,
  type Database,
  firstMessageId,
  hotRead,
  type HotStatement,
  hotWrite,
  type Param,
  type ReceiptState,
  Repository,
} from '../../store/statements';

/** The last report of a gateway about one SMS. */
export interface Receipt {
  readonly gateway: string;
  readonly providerId: string;
  readonly state: ReceiptState;
  /** The gateway's code and its meaning; null where it gave none. */
  readonly code: string | null;
  /** When the SMS was delivered, or given up, in milliseconds since 1970 UTC. */
  readonly at: number;
  /** True if the gateway gave that time; otherwise it is when the receipt arrived, or the answer about it. */
  readonly isExact?: true;
  /** As how many SMS the gateway counts it; null where it does not say. */
  readonly parts: number | null;
}

/** Report of a gateway whose meaning no rule describes. */
export interface UnmatchedReceipt {
  readonly gateway: string;
  readonly providerId: string;
  /** The gateway's status or code, if it can be one; otherwise empty. */
  readonly unmatched: string;
}

/** Result of recording a receipt: `early` is kept until its SMS is recorded as sent, `unknown` is dropped. */
type ReceiptResult = 'recorded' | 'repeated' | 'early' | 'unknown';

/** Maximum number of early receipts of one gateway: more come only from someone who invents ids. */
const MAX_EARLY = 10_000;
/** Early receipts of a gateway that one step looks at, the newest first. */
const JOINED_AT_ONCE = 1000;
const EARLY_KEPT_MS = 48 * 60 * 60_000;

/**
 * In the words of the index. An exclamation mark behind the gateway's name says that it may have sent the SMS
 * before.
 */
function isFor(param: Param<Receipt>) {
  return sql`provider_id = ${param(({ providerId }) => providerId)}
    and gateway in (${param(({ gateway }) => gateway)}, ${param(({ gateway }) => `${gateway}!`)})`;
}

/** The first receipt of an SMS counts, even if it is early and not recorded yet. */
const RECORD = recordStatement(
  'record_receipt',
  (param) => sql`and not exists (select 1 from early_receipts as early
    where early.gateway = ${param(({ gateway }) => gateway)}
    and early.provider_id = ${param(({ providerId }) => providerId)})`,
);
const RECORD_EARLY = recordStatement('record_early_receipt', () => sql``);

function recordStatement(
  name: string,
  condition: (param: Param<Receipt>) => RawBuilder<unknown>,
): HotStatement<Receipt, readonly [id: string]> {
  return hotWrite(
    name,
    (param, calls) => sql`update messages
      set receipt = ${param(({ state }) => state)}, receipt_code = ${param(({ code }) => code)},
        receipt_at = ${param.integer(({ at }) => at)},
        receipt_exact = ${param.integer(({ isExact }) => (isExact === true ? 1 : null))},
        parts = coalesce(${param.integer(({ parts }) => parts)}, parts)
      ${calls.from}
      where ${isFor(param)} and receipt = ${sql.lit(AWAITED)} ${condition(param)}
      returning id ${calls.at}`,
    { gathers: true },
  );
}

/** The SMS still waits for a receipt that can be read. */
const NOTE_UNMATCHED = hotWrite<UnmatchedReceipt, readonly [id: string]>(
  'note_unmatched_receipt',
  (
    param,
    calls,
  ) => sql`update messages set receipt_code = ${param(({ unmatched }) => unmatched)} ${calls.from}
    where provider_id = ${param(({ providerId }) => providerId)}
      and gateway in (${param(({ gateway }) => gateway)}, ${param(({ gateway }) => `${gateway}!`)})
      and receipt = ${sql.lit(AWAITED)}
    returning id ${calls.at}`,
  { gathers: true },
);

/**
 * An SMS that waits was recorded as sent a moment ago: its receipt is kept, and recorded like an early one.
 */
const HAS_RECEIPT = hotRead<Receipt, readonly [id: string]>(
  'has_receipt',
  (param) => sql`select id from messages
    where ${isFor(param)} and receipt is not null and receipt <> ${sql.lit(AWAITED)} limit 1`,
);

/** Receipts of gateways, beside what was sent. */
export class Receipts {
  readonly #store: Pick<Store, 'repository' | 'write'>;

  constructor(store: Pick<Store, 'repository' | 'write'>) {
    this.#store = store;
  }

  /**
   * Records receipts in one transaction. The first one of each SMS counts.
   *
   * @param receipts - at most 1,000
   * @param now - milliseconds since 1970 UTC
   * @returns what became of each
   */
  record(receipts: readonly Receipt[], now: number): Promise<readonly ReceiptResult[]> {
    return this.#store.write((transaction) => transaction.repository(ReceiptRows).record(receipts, now));
  }

  /**
   * Notes beside SMS that their gateways reported something that no rule describes.
   *
   * @param receipts - at most 1,000
   */
  noteUnmatched(receipts: readonly UnmatchedReceipt[]): Promise<void> {
    return this.#store.write((transaction) => transaction.repository(ReceiptRows).noteUnmatched(receipts));
  }

  /**
   * Takes the SMS without a receipt that reached one of some ages since the last call. Another node that
   * calls at the same time takes others.
   *
   * @param gateway - the gateway that is asked about them
   * @param agesMs - since they were accepted
   * @param limit - of the number of SMS
   * @param times - `last`: when it was called last; both in milliseconds since 1970 UTC
   * @returns the gateway's ids
   */
  async takeUnreported(
    gateway: string,
    agesMs: readonly number[],
    limit: number,
    times: CallTimes,
  ): Promise<readonly string[]> {
    const ids = await this.#store.repository(ReceiptRows).unreported(gateway, agesMs, limit, times);
    if (ids.length === 0) return [];
    return this.#store.write((transaction) => transaction.repository(ReceiptRows).take(ids, times));
  }

  /**
   * Records early receipts whose SMS are recorded as sent by now, and drops receipts older than 48 hours.
   *
   * @returns the receipts that were recorded and dropped
   */
  async joinEarly(now: number): Promise<JoinedReceipts> {
    if (!(await this.#store.repository(ReceiptRows).hasEarly())) return { recorded: [], unknown: [] };
    return this.#store.write((transaction) => transaction.repository(ReceiptRows).joinEarly(now));
  }
}

interface CallTimes {
  readonly last: number;
  readonly now: number;
}

interface JoinedReceipts {
  readonly recorded: readonly Receipt[];
  readonly unknown: readonly Receipt[];
}

/** The statements of receipts, each by itself or in a transaction. */
class ReceiptRows extends Repository {
  async record(receipts: readonly Receipt[], now: number): Promise<readonly ReceiptResult[]> {
    const { connection } = this;
    const first = new Map<string, Receipt>();
    for (const receipt of receipts) {
      if (!first.has(makeKey(receipt))) first.set(makeKey(receipt), receipt);
    }
    const results = new Map<Receipt, ReceiptResult>();
    const unmatched = await recordAll(RECORD, connection, [...first.values()], results);
    const known = await connection.rowsOfAll(HAS_RECEIPT, unmatched);
    const early = unmatched.filter((receipt, at) => {
      if (known[at]?.length === 0) return true;
      results.set(receipt, 'repeated');
      return false;
    });
    await keepEarly(connection, early, results, now);
    return receipts.map((receipt) => results.get(receipt) ?? 'repeated');
  }

  async noteUnmatched(receipts: readonly UnmatchedReceipt[]): Promise<void> {
    await this.connection.rowsOfAll(NOTE_UNMATCHED, receipts);
  }

  /** Returns the ids of SMS that reached one of some ages since the last call. */
  async unreported(
    gateway: string,
    agesMs: readonly number[],
    limit: number,
    { last, now }: CallTimes,
  ): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const age of agesMs) {
      const rows = await this.connection.kysely
        .selectFrom('messages')
        .select('id')
        .where('state', '=', sql.lit('sent'))
        .where('id', '>=', firstMessageId(last - age))
        .where('id', '<', firstMessageId(now - age))
        .where('receipt', '=', AWAITED)
        .where('gateway', 'in', [gateway, `${gateway}!`])
        .where('provider_id', 'is not', null)
        .limit(limit - ids.length)
        .execute();
      ids.push(...rows.map(({ id }) => id));
      if (ids.length >= limit) break;
    }
    return ids;
  }

  /** Takes those of some SMS that no other node has taken. @returns the gateway's ids */
  async take(ids: readonly string[], { last, now }: CallTimes): Promise<readonly string[]> {
    const rows = await this.connection.kysely
      .updateTable('messages')
      .set({ receipt_at: now })
      .where('id', 'in', ids)
      .where('receipt', '=', AWAITED)
      .where((asked) => asked.or([asked('receipt_at', 'is', null), asked('receipt_at', '<=', last)]))
      .returning('provider_id')
      .execute();
    return rows.flatMap(({ provider_id: providerId }) => providerId ?? []);
  }

  async hasEarly(): Promise<boolean> {
    const { kysely } = this.connection;
    const early = kysely.selectFrom('early_receipts').select('heard_at').limit(1);
    return (await early.executeTakeFirst()) !== undefined;
  }

  async joinEarly(now: number): Promise<JoinedReceipts> {
    const { connection } = this;
    const { kysely } = connection;
    const gateways = await kysely.selectFrom('early_receipts').select('gateway').distinct().execute();
    const receipts: Receipt[] = [];
    for (const { gateway } of gateways) {
      const rows = await kysely
        .selectFrom('early_receipts')
        .selectAll()
        .where('gateway', '=', gateway)
        .orderBy('heard_at', 'desc')
        .limit(JOINED_AT_ONCE)
        .execute();
      receipts.push(...rows.map(toReceipt));
    }
    const unmatched = new Set(await recordAll(RECORD_EARLY, connection, receipts, new Map()));
    const recorded = receipts.filter((receipt) => !unmatched.has(receipt));
    for (const { gateway, providerId } of recorded) {
      await kysely
        .deleteFrom('early_receipts')
        .where('gateway', '=', gateway)
        .where('provider_id', '=', providerId)
        .execute();
    }
    const dropped = await kysely
      .deleteFrom('early_receipts')
      .where('heard_at', '<', now - EARLY_KEPT_MS)
      .returningAll()
      .execute();
    return { recorded, unknown: dropped.map(toReceipt) };
  }
}

/** @returns the receipts that fit no SMS that waits for one */
async function recordAll(
  statement: typeof RECORD,
  connection: Connection,
  receipts: readonly Receipt[],
  results: Map<Receipt, ReceiptResult>,
): Promise<readonly Receipt[]> {
  const rows = await connection.rowsOfAll(statement, receipts);
  return receipts.filter((receipt, at) => {
    if (rows[at]?.length === 0) return true;
    results.set(receipt, 'recorded');
    return false;
  });
}

async function keepEarly(
  { kysely }: Connection,
  receipts: readonly Receipt[],
  results: Map<Receipt, ReceiptResult>,
  now: number,
): Promise<void> {
  if (receipts.length === 0) return;
  const rooms = new Map<string, number>();
  for (const gateway of new Set(receipts.map((receipt) => receipt.gateway))) {
    const kept = kysely.selectFrom('early_receipts').select('gateway').where('gateway', '=', gateway);
    const { count } = await kysely
      .selectFrom(kept.limit(MAX_EARLY).as('kept'))
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    rooms.set(gateway, MAX_EARLY - count);
  }
  const fitting = receipts.filter(({ gateway }) => {
    const room = rooms.get(gateway) ?? 0;
    rooms.set(gateway, room - 1);
    return room > 0;
  });
  const inserted =
    fitting.length === 0
      ? []
      : await kysely
          .insertInto('early_receipts')
          .values(
            fitting.map(({ gateway, providerId, state, code, at, isExact, parts }) => ({
              gateway,
              provider_id: providerId,
              receipt: state,
              code,
              at,
              parts,
              heard_at: now,
              exact: isExact === true ? 1 : null,
            })),
          )
          .onConflict((conflict) => conflict.doNothing())
          .returningAll()
          .execute();
  const kept = new Set(inserted.map((row) => makeKey(toReceipt(row))));
  const fit = new Set(fitting);
  for (const receipt of receipts)
    results.set(receipt, kept.has(makeKey(receipt)) ? 'early' : fit.has(receipt) ? 'repeated' : 'unknown');
}

function toReceipt(row: Database['early_receipts']): Receipt {
  const { gateway, provider_id: providerId, code, at, exact, parts } = row;
  // Only `keepEarly` writes the column, from this type.
  const state = row.receipt as ReceiptState;
  return { gateway, providerId, state, code, at, ...(exact === 1 && { isExact: true }), parts };
}

function makeKey({ gateway, providerId }: Receipt): string {
  return JSON.stringify([gateway, providerId]);
}
