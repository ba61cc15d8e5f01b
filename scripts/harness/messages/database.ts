import { join } from 'node:path';

import { DatabaseSync } from '@photostructure/sqlite';
import { Client } from 'pg';

import { startPostgresCluster } from '..';
import type { MessageRow } from './messages';

/** A database of one engine, to be filled behind the back of the service: by itself that would take minutes. */
export interface BenchDatabase {
  readonly url: string;
  /** To be called when the schema is there. */
  fill(rows: Iterable<MessageRow>): Promise<void>;
  stop(): void;
}

const BATCH = 5000;
const TEXTS = [
  ...(['id', 'channel', 'state', 'recipient', 'school', 'request_id', 'note'] as const),
  ...(['reason', 'reason_params'] as const),
] as const;
const TIMES = ['created_at', 'updated_at', 'next_attempt_at', 'expires_at'] as const;

function insert(rows: string): string {
  const values = [
    ...TEXTS.map((column) => `value ->> '${column}'`),
    ...TIMES.map(() => `cast(value ->> 'created_at' as bigint)`),
  ];
  return `insert into messages (${[...TEXTS, ...TIMES].join(', ')}, attempts) select ${values.join(', ')}, 1 from ${rows}`;
}

/** Adds messages to a SQLite file that has the schema. */
export function fillSqlite(path: string, rows: Iterable<MessageRow>): void {
  const database = new DatabaseSync(path);
  database.exec('pragma synchronous = off; pragma cache_size = -400000; begin');
  const statement = database.prepare(insert('json_each(?)'));
  for (const batch of batches(rows)) statement.run(batch);
  database.exec('commit; pragma wal_checkpoint(truncate)');
  database.close();
}

/** Adds messages to a PostgreSQL database that has the schema. */
export async function fillPostgres(url: string, rows: Iterable<MessageRow>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const batch of batches(rows)) await client.query(insert('json_array_elements($1::json)'), [batch]);
  // As the server itself does after a while.
  await client.query('vacuum analyze');
  await client.end();
}

/** On each engine; resolves to undefined where there is no such database. */
export const ENGINES: Readonly<Record<string, (folder: string) => Promise<BenchDatabase | undefined>>> = {
  SQLite: (folder) => {
    const path = join(folder, 'service.db');
    return Promise.resolve({
      url: `sqlite:${path}`,
      fill: (rows) => {
        fillSqlite(path, rows);
        return Promise.resolve();
      },
      stop: () => undefined,
    });
  },
  PostgreSQL: async () => {
    const cluster = await startPostgresCluster({ durable: false });
    if (cluster === undefined) return undefined;
    const { url, stop } = cluster;
    return { url, fill: (rows) => fillPostgres(url, rows), stop };
  },
};

function* batches(rows: Iterable<MessageRow>): Generator<string> {
  let batch: MessageRow[] = [];
  for (const row of rows) {
    batch.push(row);
    if (batch.length < BATCH) continue;
    yield JSON.stringify(batch);
    batch = [];
  }
  if (batch.length > 0) yield JSON.stringify(batch);
}
