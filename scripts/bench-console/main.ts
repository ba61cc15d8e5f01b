import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';

import { Command, Option } from 'commander';
import express from 'express';
import { pino } from 'pino';

import { readSettings } from '../../src/config';
import { createConsole, type Visitors } from '../../src/console';
import { openStore, type Store } from '../../src/store';
import { Metrics } from '../../src/telemetry';
import { ENGINES, messages, schoolUrl, timeOf, writeSchools, youngNumber } from '../harness/messages';
import { conditions, endAfter, makeRunFolder, markdownTable, runCommand, wholeNumber } from '../harness';
import { addFigures } from './figures';
import { pagesOf, type TimedPage } from './pages';

const TARGET_MS = 200;
const LONGEST_RUN_MS = 30 * 60_000;
const TOKEN = 'bench';

const command = new Command('bench:console')
  .description(
    'Measures how long each page of the console takes over a database with many messages and 40 days of figures: ' +
      `the first time, and the best of five (at most ${String(TARGET_MS)} ms for messages). Prints a table in Markdown.`,
  )
  .argument('[messages]', 'how many the database has', wholeNumber, 1_000_000)
  .addOption(new Option('--engine <name>', 'only this one').choices(Object.keys(ENGINES)))
  .action(bench);

async function bench(count: number, { engine }: { readonly engine?: string }): Promise<void> {
  endAfter(LONGEST_RUN_MS);
  const tables: string[] = [];
  const slow: TimedPage[] = [];
  for (const name of Object.keys(ENGINES)) {
    if (engine !== undefined && engine !== name) continue;
    const timed = await measureEngine(name, count);
    slow.push(...timed.filter(({ isOfMessages, bestMs }) => isOfMessages && bestMs > TARGET_MS));
    if (timed.length > 0) tables.push(table(name, timed));
  }
  console.log(conditions('bench:console'));
  for (const each of tables) console.log(`\n${each}`);
  if (slow.length === 0) return;
  console.error(`Pages of messages that took more than ${String(TARGET_MS)} ms: ${String(slow.length)}.`);
  process.exitCode = 1;
}

/** On a database of its own; nothing where there is no such engine. */
async function measureEngine(engine: string, count: number): Promise<readonly TimedPage[]> {
  const folder = makeRunFolder('bench-console-data');
  const database = await ENGINES[engine]?.(folder.path);
  if (database === undefined) {
    console.error(`${engine} was not measured: no server is installed.`);
    return [];
  }
  try {
    const store = await openStore({ url: database.url });
    await store.importFolder(writeSchools(join(folder.path, 'schools')));
    console.error(`${engine}: makes ${count.toLocaleString('en')} messages`);
    await database.fill(messages(count));
    const now = timeOf(count);
    await addFigures(store, now);
    const timed = await measure(store, database.url, folder.path, now, count);
    await store.close();
    return timed;
  } finally {
    database.stop();
    folder.remove();
  }
}

async function measure(
  store: Store,
  url: string,
  folder: string,
  now: number,
  count: number,
): Promise<readonly TimedPage[]> {
  const app = express();
  app.use(
    createConsole({
      ...{ store, visitors: EVERYBODY, now: () => now },
      node: { name: 'bench', version: 'bench', folder, metrics: new Metrics() },
      settings: readSettings({ DATABASE_URL: url, DATA_DIR: folder }, ''),
      logger: pino({ level: 'silent' }),
    }),
  );
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on a port, and not on a pipe.
  const { port } = server.address() as AddressInfo;
  const [middle] = await store.deliveries.list({ channel: 'mark', createdBefore: timeOf(count / 2) }, 1);
  const timed = await pagesOf(`http://127.0.0.1:${String(port)}`, {
    ...{ token: TOKEN, middle: middle?.id ?? '', school: schoolUrl(0), number: youngNumber(count) },
    day: new Date(timeOf(count / 2)).toISOString(),
  });
  server.closeAllConnections();
  server.close();
  return timed;
}

const EVERYBODY: Visitors = {
  visitorOf: () => ({ name: undefined, role: 'operator', canLogOut: false }),
  pageToken: () => TOKEN,
  isPageToken: (_response, token) => token === TOKEN,
  audit: () => undefined,
};

function table(engine: string, timed: readonly TimedPage[]): string {
  return markdownTable(
    [`${engine}: page`, 'first, ms', 'best of five, ms', 'KB'],
    timed.map(({ name, firstMs, bestMs, bytes }) => [
      name,
      firstMs.toFixed(1),
      bestMs.toFixed(1),
      (bytes / 1000).toFixed(0),
    ]),
    1,
  );
}

runCommand(command);
