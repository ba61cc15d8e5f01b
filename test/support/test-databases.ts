import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from 'pg';

import { openStore, type Store, type StoreOptions } from '../../src/store';

export type EngineName = 'sqlite' | 'postgres';

const POSTGRES_URL = process.env['TEST_DATABASE_URL'] ?? '';

/** The engines that can be tested here, for `describe.each`. */
export const ENGINES: readonly EngineName[] = POSTGRES_URL === '' ? ['sqlite'] : ['sqlite', 'postgres'];

/** A database of the tests' own. */
export interface TestDatabase {
  readonly url: string;
  /** An empty folder that goes with it. */
  readonly folder: string;
  /** Opens the database; it is closed before the database is taken away. */
  open(options?: Omit<StoreOptions, 'url'>): Promise<Store>;
}

/**
 * Gives each test of the surrounding block an empty database (or one to all of them, for tests that only
 * read), and takes it away afterwards.
 */
export function useDatabase(engine: EngineName, per: 'test' | 'block' = 'test'): TestDatabase {
  const [before, after] = per === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  const stores: Store[] = [];
  let folder = '';
  let url = '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'store-test-'));
    url = engine === 'sqlite' ? `sqlite:${join(folder, 'service.db')}` : await createPostgresDatabase();
  });
  after(async () => {
    for (const store of stores.splice(0)) await store.close();
    if (engine === 'postgres') await dropPostgresDatabase(url);
    rmSync(folder, { recursive: true, force: true });
  });

  return {
    get url() {
      return url;
    },
    get folder() {
      return folder;
    },
    open: async (options = {}) => {
      const store = await openStore({ ...options, url });
      stores.push(store);
      return store;
    },
  };
}

/** A new PostgreSQL database; returns its URL. */
export async function createPostgresDatabase(): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  await administer(`create database ${name}`);
  const url = new URL(POSTGRES_URL);
  url.pathname = `/${name}`;
  return url.href;
}

export async function dropPostgresDatabase(url: string): Promise<void> {
  await administer(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
}

/**
 * Runs a statement as the owner of the test server, on its own database.
 *
 * @returns how many rows it was about
 */
export async function administer(statement: string): Promise<number> {
  const client = new Client({ connectionString: POSTGRES_URL });
  await client.connect();
  try {
    const { rowCount } = await client.query(statement);
    return rowCount ?? 0;
  } finally {
    await client.end();
  }
}
