import type { Command } from 'commander';

import { type ImportProgress, openStore, type Store, StoreError } from '../store';
import { counted } from '../support/text';
import {
  commandOf,
  exportSummary,
  type Host,
  importSummary,
  onStore,
  type Progress,
  ProgressDisplay,
  storeOptions,
  warnOfLoose,
} from './run-command';

interface ImportCommandOptions {
  readonly dryRun?: boolean;
  readonly replace?: boolean;
  readonly yes?: boolean;
}

/** `school-notifications import FOLDER [--replace [--yes]] [--dry-run]` */
export function importData(host: Host): Command {
  return commandOf('import', host)
    .description('Loads CSV files into the database. The service may be running.')
    .argument(
      '<folder>',
      'folder with schools.csv, classes.csv, students.csv and so on; files may be missing',
    )
    .option('--dry-run', 'check the files and write nothing')
    .option('--replace', 'also delete rows of these schools that are not in the files')
    .option('--yes', 'with --replace: even if that deletes more than a fifth of a table')
    .action(
      async (folder: string, { dryRun = false, replace = false, yes = false }: ImportCommandOptions) => {
        const store = await (dryRun ? openToCheck(host) : openStore(storeOptions(host)));
        const display = new ProgressDisplay(host.stdout);
        try {
          const report = await store.importFolder(folder, {
            dryRun,
            onProgress: (progress) => {
              display.show(ofFile(progress));
            },
            ...(replace && { replace: yes ? 'even large parts' : 'small parts' }),
          });
          display.end();
          host.stdout.write(importSummary(report, { dryRun }));
          if (report.problemCount > 0 || report.removesTooMuch) host.exitCode = 1;
        } finally {
          display.end();
          await store.close();
        }
      },
    );
}

/** Shows the progress of reading, which takes most of the time. */
function ofFile({ file, step, bytesRead, bytes, rows }: ImportProgress): Progress {
  const count = counted(rows, 'row');
  return {
    part: file,
    done: bytesRead,
    of: bytes,
    text: `${count} | ${step}`,
    line: step === 'reading' ? `read, ${count}` : undefined,
  };
}

/** Opens the database for a check, which changes nothing; if there is none yet, an empty one in memory. */
async function openToCheck(host: Host): Promise<Store> {
  try {
    return await openStore({ ...storeOptions(host), mustExist: true });
  } catch (error) {
    if (!(error instanceof StoreError && error.trouble === 'no-schema')) throw error;
    return openStore({ url: 'sqlite::memory:' });
  }
}

/** `school-notifications export FOLDER` */
export function exportData(host: Host): Command {
  return commandOf('export', host)
    .description('Writes school data to CSV files in the import format. The service may be running.')
    .argument('<folder>', 'output folder; created if missing, existing files are overwritten')
    .action(async (folder: string) => {
      const report = await onStore(host, (store) => store.exportFolder(folder));
      warnOfLoose([folder], host);
      host.stdout.write(`${exportSummary(report)}\n`);
    });
}
