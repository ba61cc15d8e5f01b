import { setTimeout as delay } from 'node:timers/promises';

import { Client } from 'pg';

import { openStore } from '../../src/store';
import { usageOf } from '../harness';
import { phoneOf } from '../harness/delivery';
import { Calendar } from '../../src/support/calendar';

interface RemovalOptions {
  /** An empty database of PostgreSQL. */
  readonly databaseUrl: string;
  /** Codes in the table that are due for removal, and as many that are not. */
  readonly history: number;
  readonly progress: (what: string) => void;
}

export interface RemovalCost {
  /** Codes accepted and removed a second, each while the other goes on. */
  readonly accepted: number;
  readonly removed: number;
  /** Processor time for each removed row, in microseconds: of program and server, and of the vacuum afterwards. */
  readonly removalMicros: number;
  readonly vacuumMicros: number;
}

const DAY_MS = 24 * 3_600_000;
const KEEP_DAYS = 90;
const SECONDS = 15;
const CODES_PER_SECOND = 3000;
/** As the service does it: a poll each half second, which removes for a fifth of the time. */
const POLL_MS = 500;
const REMOVAL_MS = 100;
const BATCHES_PER_SECOND = 10;

/** Removes old codes as the service does while new ones are stored, and compares with storing alone. */
export async function measureRemoval(options: RemovalOptions): Promise<RemovalCost> {
  const { databaseUrl, history, progress } = options;
  const store = await openStore({ url: databaseUrl });
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // The vacuum is measured by itself.
    await client.query('alter table messages set (autovacuum_enabled = off)');
    progress(`storing ${String(2 * history)} codes`);
    const now = Date.now();
    for (const days of [KEEP_DAYS + 1, KEEP_DAYS - 1])
      await storeHistory(client, now - days * DAY_MS, history);
    await client.query('vacuum analyze messages');

    const calendar = new Calendar('Europe/Istanbul');
    let after: string | undefined = '';
    const removeSome = (): Promise<unknown> =>
      store.write(async ({ retention }) => {
        ({ last: after } = await retention.removeEnded(after ?? '', now - KEEP_DAYS * DAY_MS, calendar));
      });
    const accept = async (): Promise<number> => {
      const start = performance.now();
      let accepted = 0;
      while (performance.now() - start < SECONDS * 1000) {
        const due = Math.floor(((performance.now() - start) / 1000) * CODES_PER_SECOND) - accepted;
        const first = accepted;
        await store.write(({ messages }) =>
          messages.enqueueAll(Array.from({ length: due }, (_, at) => newCode(first + at))),
        );
        accepted += due;
        await delay(1000 / BATCHES_PER_SECOND);
      }
      return accepted;
    };
    const remove = async (): Promise<void> => {
      const start = performance.now();
      while (performance.now() - start < SECONDS * 1000) {
        const poll = performance.now();
        do await removeSome();
        while (after !== undefined && performance.now() - poll < REMOVAL_MS);
        await delay(POLL_MS - (performance.now() - poll));
      }
    };
    await accept(); // Warms up.
    progress('storing alone');
    const [alone] = await costOf(accept);
    progress('storing and removing');
    const before = await rows(client);
    const [together, accepted] = await costOf(async () => (await Promise.all([accept(), remove()]))[0]);
    const removed = before + accepted - (await rows(client));
    progress(`vacuum after ${String(removed)} rows`);
    const [vacuum] = await costOf(() => client.query('vacuum messages'));
    return {
      accepted: accepted / SECONDS,
      removed: removed / SECONDS,
      removalMicros: (together - alone) / removed,
      vacuumMicros: vacuum / removed,
    };
  } finally {
    await client.end();
    await store.close();
  }
}

/** @returns processor time of this program and its server, in microseconds */
async function costOf<T>(work: () => Promise<T>): Promise<[micros: number, result: T]> {
  const before = usageOf(process.pid).cpuMicros;
  const result = await work();
  return [usageOf(process.pid).cpuMicros - before, result];
}

async function rows(client: Client): Promise<number> {
  const { rows: counted } = await client.query<{ rows: number }>(
    'select count(*)::int as rows from messages',
  );
  return counted[0]?.rows ?? 0;
}

function newCode(at: number) {
  const now = Date.now();
  return {
    ...{
      channel: 'sms' as const,
      recipient: phoneOf(at),
      school: '',
      payload: { code: '4711' },
      dedupeKey: null,
    },
    ...{ createdAt: now, notBefore: now + DAY_MS, expiresAt: now + 2 * DAY_MS },
  };
}

/** Stores sent codes as they are after a day: numbers are masked, codes and digests erased. */
async function storeHistory(client: Client, from: number, count: number): Promise<void> {
  const stamp = "lpad(to_hex($1::bigint + n / 3), 12, '0')";
  await client.query(
    `insert into messages (id, channel, state, recipient, school, attempts, next_attempt_at, expires_at, provider_id,
       gateway, created_at, updated_at, caller, parts, country, attempt_log)
     select substr(${stamp}, 1, 8) || '-' || substr(${stamp}, 9) || '-7' || lpad(to_hex(n), 12, '0'), 'sms', 'sent',
       '+90555...' || lpad((n % 100)::text, 2, '0'), '', 1, $1 + n / 3, $1 + 300000 + n / 3, 'gateway-' || n,
       'first', $1 + n / 3, $1 + 400 + n / 3, 'school', 1, 'TR', '[[400,"ok","first"]]'
     from generate_series(1, $2::int) as n`,
    [from, count],
  );
}
