import { Command, Option } from 'commander';

import { conditions, endAfter, markdownTable, median, runCommand, wholeNumber } from '../harness';
import { ENGINES, type FilledDatabase, onEngines } from '../harness/messages';
import { askFor, type Answer } from './answers';
import { described, filtersFor } from './filters';

const TARGET_MS = 200;
const SHOWN = 10;
const LONGEST_RUN_MS = 40 * 60_000;

const command = new Command('bench:find')
  .description(
    'Measures how long the operator waits for a page of messages, for each filter by itself, all pairs and typical ' +
      'threes, of the last day and of all time: the first page, the second, and one in the middle of all messages ' +
      `(at most ${String(TARGET_MS)} ms each). Prints the slowest as a table in Markdown.`,
  )
  .argument('[messages]', 'how many the database has', wholeNumber, 1_000_000)
  .addOption(new Option('--engine <name>', 'only this one').choices(Object.keys(ENGINES)))
  .action(bench);

async function bench(count: number, { engine }: { readonly engine?: string }): Promise<void> {
  endAfter(LONGEST_RUN_MS);
  const answers = await onEngines('bench-find', count, engine, (database) => askWithAll(database, count));
  console.log(conditions('bench:find'));
  for (const [name, list] of answers) console.log(`\n${table(name, list)}`);
  const slow = [...answers.values()].flat().filter(({ milliseconds }) => milliseconds > TARGET_MS);
  if (slow.length === 0) return;
  console.error(`${String(slow.length)} pages took more than ${String(TARGET_MS)} ms.`);
  process.exitCode = 1;
}

async function askWithAll(
  { engine, store, middle }: FilledDatabase,
  count: number,
): Promise<readonly Answer[]> {
  const filters = filtersFor(count, middle);
  console.error(`${engine}: asks with ${String(filters.length)} filters`);
  const answers: Answer[] = [];
  for (const filter of filters) answers.push(...(await askFor(store, filter, middle, TARGET_MS)));
  return answers;
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
