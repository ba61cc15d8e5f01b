import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { openStore, type Store, type StoreOptions } from '../../src/store';
import type { Engine } from '../../src/store/engine/engine';
import { openEngine } from '../../src/store/open-engine';
import { postgresTemplates, sqliteTemplates, type TemplateName } from './database-templates';
import { createPostgresDatabase, dropPostgresDatabase, hasPostgres } from './postgres-databases';
import { leavePristine, restorePristine } from './pristine';

export type EngineName = 'sqlite' | 'postgres';

/** Set by the projects of jest.config.mjs. */
declare const TESTED_ENGINES: readonly EngineName[];

/**
 * The engines of this run, for `describe.each`: the project "fast" runs the tests on SQLite, "databases" on PostgreSQL.
 * Without a project, as `npm run mutate` runs them, they are all that can be tested here.
 */
export const ENGINES: readonly EngineName[] =
  typeof TESTED_ENGINES === 'undefined'
    ? hasPostgres()
      ? ['sqlite', 'postgres']
      : ['sqlite']
    : TESTED_ENGINES;

/** A block of tests that only PostgreSQL has, in a file that runs on each engine. */
export function describeOnPostgres(name: string, tests: () => void): void {
  if (ENGINES.includes('postgres')) describe(name, tests);
}

/** A test that only PostgreSQL has, in a block that runs on each engine. */
export function itOnPostgres(name: string, test: () => Promise<void>): void {
  if (ENGINES.includes('postgres')) it(name, test);
}

/** A block of tests that need no PostgreSQL, in a file that runs on each engine. */
export function describeOnSqlite(name: string, tests: () => void): void {
  if (ENGINES.includes('sqlite')) describe(name, tests);
}

/** A database of the tests' own. */
export interface TestDatabase {
  readonly url: string;
  /** An empty folder that goes with it. */
  readonly folder: string;
  /** Opens the database; it is closed before the database is taken away. */
  open(options?: Omit<StoreOptions, 'url'>): Promise<Store>;
  /** Opens the database behind the back of the store. */
  engine(options?: Omit<StoreOptions, 'url'>): Engine;
}

interface Use {
  /** One for each test, or one for the block, for tests that only read. */
  readonly per?: 'test' | 'block';
  readonly holds?: 'nothing' | TemplateName;
}

/** Gives the tests of the surrounding block databases of their own, and takes them away afterwards. */
export function useDatabase(engine: EngineName, { per = 'test', holds = 'schema' }: Use = {}): TestDatabase {
  const [before, after] = per === 'test' ? [beforeEach, afterEach] : [beforeAll, afterAll];
  const opened: (Store | Engine)[] = [];
  let folder = '';
  let url = '';

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'store-test-'));
    if (engine === 'postgres') {
      url = await freshPostgresDatabase(url, holds);
      return;
    }
    const file = join(folder, 'service.db');
    if (holds !== 'nothing') copyFileSync((await sqliteTemplates())[holds], file);
    url = `sqlite:${file}`;
  });
  after(async () => {
    for (const each of opened.splice(0)) await each.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterAll(async () => {
    if (engine === 'postgres' && url !== '') await drop(url);
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
      opened.push(store);
      return store;
    },
    engine: (options = {}) => {
      const engine = openEngine({ ...options, url });
      opened.push(engine);
      return engine;
    },
  };
}

/** The database of the test before as it was, or a new one. */
async function freshPostgresDatabase(used: string, holds: 'nothing' | TemplateName): Promise<string> {
  if (used !== '') {
    if (holds !== 'nothing' && (await restorePristine(used))) return used;
    await drop(used);
  }
  return createPostgresDatabase(holds === 'nothing' ? undefined : (await postgresTemplates())[holds]);
}

async function drop(url: string): Promise<void> {
  await leavePristine(url);
  await dropPostgresDatabase(url);
}
