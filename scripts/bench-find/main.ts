import { join } from 'node:path';

import { Command, Option } from 'commander';

import { openStore } from '../../src/store';
import {
  conditions,
  endAfter,
  makeRunFolder,
  markdownTable,
  median,
  runCommand,
  wholeNumber,
} from '../harness';
import { askFor, type Answer } from './answers';
import { ENGINES } from '../harness/messages';
import { described, filtersFor } from './filters';
import { messages, timeOf, writeSchools } from '../harness/messages';

const TARGET_MS = 200;
const SHOWN = 10;
const LONGEST_RUN_MS = 40 * 60_000;

const command = new Command('bench:find')
  .description(
    'Measures how long the operator waits for a page of messages, for each filter by itself, all pairs and typical ' +
      'threes: the first page, the second, and one in the middle of all messages ' +
      `(at most ${String(TARGET_MS)} ms each). Prints the slowest as a table in Markdown.`,
  )
  .argument('[messages]', 'how many the database has', wholeNumber, 1_000_000)
  .addOption(new Option('--engine <name>', 'only this one').choices(Object.keys(ENGINES)))
  .action(bench);

async function bench(count: number, { engine }: { readonly engine?: string }): Promise<void> {
  endAfter(LONGEST_RUN_MS);
  const answers = new Map<string, readonly Answer[]>();
  for (const name of Object.keys(ENGINES)) {
    if (engine === undefined || engine === name) answers.set(name, await measureEngine(name, count));
  }
  console.log(conditions('bench:find'));
  for (const [name, list] of answers) if (list.length > 0) console.log(`\n${table(name, list)}`);
  const slow = [...answers.values()].flat().filter(({ milliseconds }) => milliseconds > TARGET_MS);
  if (slow.length === 0) return;
  console.error(`${String(slow.length)} pages took more than ${String(TARGET_MS)} ms.`);
  process.exitCode = 1;
}

/** On a database of its own; nothing where there is no such engine. */
async function measureEngine(engine: string, count: number): Promise<readonly Answer[]> {
  const folder = makeRunFolder('bench-find-data');
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
    const [middle] = await store.deliveries.list({ channel: 'mark', createdBefore: timeOf(count / 2) }, 1);
    const filters = filtersFor(count, middle?.id ?? '');
    console.error(`${engine}: asks with ${String(filters.length)} filters`);
    const answers: Answer[] = [];
    for (const filter of filters) answers.push(...(await askFor(store, filter, middle?.id ?? '', TARGET_MS)));
    await store.close();
    return answers;
  } finally {
    database.stop();
    folder.remove();
  }
}

function table(engine: string, answers: readonly Answer[]): string {
  const slowest = answers.toSorted((one, other) => other.milliseconds - one.milliseconds).slice(0, SHOWN);
  const half = median(answers.map(({ milliseconds }) => milliseconds));
  return markdownTable(
    [
      `${engine}: the slowest of ${String(answers.length)} pages, of which half took ${half.toFixed(1)} ms`,
      'Page',
      'Messages',
      'ms',
    ],
    slowest.map(({ filter, page, found, milliseconds }) => [
      described(filter),
      page,
      String(found),
      milliseconds.toFixed(0),
    ]),
    2,
  );
}

runCommand(command);
