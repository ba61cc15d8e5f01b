import { basename, join, resolve } from 'node:path';

import { Command } from 'commander';

import {
  conditions,
  endAfter,
  makeRunFolder,
  markdownTable,
  median,
  PACKAGE_ROOT,
  runCommand,
  ServerProcess,
  type Usage,
  wholeNumber,
} from '../harness';

const LONGEST_RUN_MS = 30 * 60_000;

const command = new Command('bench:start')
  .description(
    'Measures what a start costs until the service says that it is ready: processor time and memory, medians of several ' +
      'starts in turns, each with an empty data folder and the sample school. Prints a table in Markdown.',
  )
  .argument('[folders...]', 'built checkouts, besides this one')
  .option('--starts <number>', 'starts of each', wholeNumber, 8)
  .action(bench);

async function bench(folders: readonly string[], { starts }: { readonly starts: number }): Promise<void> {
  endAfter(LONGEST_RUN_MS);
  const measured = new Map<string, Usage[]>(
    [...folders.map((folder) => resolve(folder)), PACKAGE_ROOT].map((folder) => [folder, []]),
  );
  for (let start = 0; start < starts; start += 1)
    for (const [folder, usages] of measured) usages.push(await startOnce(folder));
  const rows = [...measured].map(([folder, usages]) => [
    basename(folder),
    median(usages.map(({ cpuMicros }) => cpuMicros / 1000)).toFixed(0),
    median(usages.map(({ residentBytes }) => residentBytes / 2 ** 20)).toFixed(0),
  ]);
  console.log(`${conditions('bench:start')}\n\n${markdownTable(['Checkout', 'CPU ms', 'MB'], rows, 1)}`);
}

async function startOnce(folder: string): Promise<Usage> {
  const data = makeRunFolder('bench-start');
  try {
    const service = new ServerProcess(join(folder, 'dist', 'main.js'), {
      args: ['start'],
      folder: data.path,
      environment: { PORT: '0', ADMIN_PORT: '0', DATA_DIR: data.path, SAMPLE_DATA: 'true' },
    });
    await service.says(/^Press Ctrl-C/m);
    const { usage } = service;
    await service.stop();
    return usage;
  } finally {
    data.remove();
  }
}

runCommand(command);
