import { createServer } from 'node:http';

import { Command, Option } from 'commander';
import express from 'express';
import { pino } from 'pino';

import { readSettings } from '../../src/config';
import { createConsole } from '../../src/admin/console/console';
import type { AdminUsers } from '../../src/admin/login/admin-login';
import { Metrics } from '../../src/telemetry';
import { conditions, endAfter, endServer, listen, markdownTable, runCommand, wholeNumber } from '../harness';
import { ENGINES, type FilledDatabase, onEngines, schoolUrl, timeOf, youngNumber } from '../harness/messages';
import { addAudit, addStats } from './stats';
import { pagesOf, type TimedPage } from './pages';

const TARGET_MS = 200;
const LONGEST_RUN_MS = 30 * 60_000;
const TOKEN = 'bench';

const command = new Command('bench:console')
  .description(
    'Measures how long each page of the console takes over a database with many messages and 40 days of stats: ' +
      `the first time, and the best of five (at most ${String(TARGET_MS)} ms). Prints a table in Markdown.`,
  )
  .argument('[messages]', 'how many the database has', wholeNumber, 1_000_000)
  .addOption(new Option('--engine <name>', 'only this one').choices(Object.keys(ENGINES)))
  .action(bench);

async function bench(count: number, { engine }: { readonly engine?: string }): Promise<void> {
  endAfter(LONGEST_RUN_MS);
  const timed = await onEngines('bench-console', count, engine, (database) => timePages(database, count));
  console.log(conditions('bench:console'));
  for (const [name, pages] of timed) console.log(`\n${table(name, pages)}`);
  const all = [...timed.values()].flat();
  const slow = all.filter(({ isPage, bestMs }) => isPage && bestMs > TARGET_MS);
  if (slow.length === 0) return;
  console.error(`Pages that took more than ${String(TARGET_MS)} ms: ${String(slow.length)}.`);
  process.exitCode = 1;
}

async function timePages(
  { store, url, folder, middle }: FilledDatabase,
  count: number,
): Promise<readonly TimedPage[]> {
  const now = timeOf(count);
  await addStats(store, now);
  await addAudit(store, now);
  const app = express();
  const { pages } = await createConsole({
    ...{ store, users: EVERYBODY, now: () => now },
    node: { name: 'bench', version: 'bench', folder, metrics: new Metrics() },
    // With an old server, which nothing asks: without one there is no page of the migration.
    settings: readSettings({ DATABASE_URL: url, DATA_DIR: folder, OLD_URL: 'http://127.0.0.1:9' }, ''),
    findings: [],
    logger: pino({ level: 'silent' }),
  });
  app.use(pages);
  const server = createServer(app);
  const port = await listen(server);
  const timed = await pagesOf(`http://127.0.0.1:${String(port)}`, {
    ...{ now, token: TOKEN, middle, school: schoolUrl(0), number: youngNumber(count) },
    day: new Date(timeOf(count / 2)).toISOString(),
  });
  await endServer(server);
  return timed;
}

const EVERYBODY: AdminUsers = {
  userFor: () => ({ name: undefined, role: 'operator', canLogOut: false }),
  pageToken: () => TOKEN,
  isPageToken: (_response, token) => token === TOKEN,
  record: () => Promise.resolve(),
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
