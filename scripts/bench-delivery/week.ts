import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';
import { pino } from 'pino';
import { Registry } from 'prom-client';

import { loadConfig } from '../../src/config';
import { createDelivery, type Delivery, loadReceipts, SYSTEM_TIMERS } from '../../src/delivery';
import { openStore, type Store } from '../../src/store';
import { markdownTable } from '../harness';
import { loadOneClass, phoneOf, queueMark } from '../harness/delivery';

export interface WeekOptions {
  /** An empty database of PostgreSQL. */
  readonly databaseUrl: string;
  /** An empty folder. */
  readonly folder: string;
  /** Accepted on each day. */
  readonly codes: number;
  /** Each gets a note on each day. */
  readonly students: number;
  readonly progress: (what: string) => void;
}

/** Describes what the queue's table takes at the end of a day. Sizes are bytes. */
export interface DayEnd {
  readonly messages: number;
  readonly dead: number;
  readonly tableBytes: number;
  readonly indexBytes: number;
  readonly updates: number;
  /** Counts those of them that touched no index. */
  readonly hot: number;
}

const DAYS = 7;
const HOURS = 24;
const HOUR_MS = 3_600_000;
const DAY_MS = HOURS * HOUR_MS;
/** The oldest messages are looked at once an hour, and a request goes an hour after its push messages. */
const REMOVAL_LAG_MS = 3 * HOUR_MS;
const START = Date.parse('2026-03-02T00:00:00Z');
/** So that the last days remove as much as they add. */
const KEEP_DAYS = 3;
/** How often it is looked for what is due, erased and removed: what a day has of it is done in seconds. */
const POLL_MS = 10;
/** How often it is looked, at most, whether what is old is removed. */
const MAX_LOOKS = 200;
/** Codes that are asked for at once. */
const CALLERS = 64;

/**
 * Runs a service by a clock of its own through seven days: codes at all hours, a note a day, all sent at once, and
 * everything erased and removed when its time is over. The server looks for what to vacuum each second, as a real day
 * is far longer.
 */
export async function simulateWeek(options: WeekOptions): Promise<readonly DayEnd[]> {
  const { databaseUrl, folder, codes, students, progress } = options;
  const school = { students, notes: DAYS };
  await loadOneClass(databaseUrl, folder, school);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`alter system set autovacuum_naptime = '1s'`);
  await client.query('select pg_reload_conf()');
  const store = await openStore({ url: databaseUrl });
  let now = START;
  const delivery = await deliveryOf(store, folder, () => now);
  delivery.start();
  const days: DayEnd[] = [];
  try {
    for (let day = 0; day < DAYS; day += 1) {
      for (let hour = 0; hour < HOURS; hour += 1) {
        now = START + (day * HOURS + hour) * HOUR_MS;
        if (hour === HOURS / 2) await queueMark(store, day + 1, now);
        const from = Math.floor((codes * hour) / HOURS);
        await accept(delivery, now, { from, to: Math.floor((codes * (hour + 1)) / HOURS) });
        await settled(store);
        await removed(client, now - KEEP_DAYS * DAY_MS - REMOVAL_LAG_MS);
      }
      days.push(await endOfDay(client));
      progress(`day ${String(day + 1)} of ${String(DAYS)}`);
    }
  } finally {
    await delivery.stop(10_000);
    await store.close();
    await client.end();
  }
  return days;
}

async function deliveryOf(store: Store, folder: string, now: () => number): Promise<Delivery> {
  const taken = { send: () => Promise.resolve({ kind: 'sent' as const }), close: () => Promise.resolve() };
  return createDelivery({
    ...{ store, now },
    config: loadConfig({ DATA_DIR: folder, KEEP_MESSAGES_DAYS: String(KEEP_DAYS), PUMPING_GUARD: 'off' }),
    logger: pino({ level: 'silent' }),
    registry: new Registry(),
    takeReceipts: await loadReceipts(),
    transports: {
      sms: { transports: [{ name: 'taken', ...taken }], routes: [{ gateways: ['taken'] }] },
      push: { name: 'taken', ...taken },
    },
    timers: { ...SYSTEM_TIMERS, every: (_, action) => SYSTEM_TIMERS.every(POLL_MS, action) },
  });
}

async function accept(
  { acceptCode }: Delivery,
  createdAt: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  let next = from;
  const ask = async (): Promise<void> => {
    while (next < to) {
      const code = { code: '4711', phone: phoneOf(next), createdAt, expiresAt: createdAt + HOUR_MS };
      next += 1;
      const { kind } = await acceptCode(code);
      if (kind !== 'stored') throw new Error(`A code was not stored: ${kind}`);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, ask));
}

async function settled(store: Store): Promise<void> {
  while ((await store.outbox.backlog()).length > 0) await delay(POLL_MS);
}

/** Waits until no message is left that was made before, or a look that began earlier must end for the next to come. */
async function removed(client: Client, before: number): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
    const { rows } = await client.query<{ readonly made: string | null }>(
      `select min(created_at) as made from messages where id = (select min(id) from messages)`,
    );
    if (Number(rows[0]?.made ?? before) >= before) return;
    await delay(POLL_MS);
  }
}

async function endOfDay(client: Client): Promise<DayEnd> {
  const { rows } = await client.query<Record<keyof DayEnd, string>>(
    `select (select count(*) from messages) as "messages", n_dead_tup as "dead",
      pg_table_size(relid) as "tableBytes", pg_indexes_size(relid) as "indexBytes",
      n_tup_upd as "updates", n_tup_hot_upd as "hot"
    from pg_stat_user_tables where relname = 'messages'`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('PostgreSQL knows no table of messages.');
  const { messages, dead, tableBytes, indexBytes, updates, hot } = row;
  return {
    messages: Number(messages),
    dead: Number(dead),
    tableBytes: Number(tableBytes),
    indexBytes: Number(indexBytes),
    updates: Number(updates),
    hot: Number(hot),
  };
}

/** A row for each day. */
export function weekTable(days: readonly DayEnd[]): string {
  const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(1);
  return markdownTable(
    ['End of day', 'messages', 'dead rows', 'table MiB', 'indexes MiB', 'updates without an index'],
    days.map(({ messages, dead, tableBytes, indexBytes, updates, hot }, at) => [
      String(at + 1),
      messages.toLocaleString('en'),
      dead.toLocaleString('en'),
      mebibytes(tableBytes),
      mebibytes(indexBytes),
      `${((100 * hot) / Math.max(1, updates)).toFixed(0)} %`,
    ]),
    1,
  );
}
