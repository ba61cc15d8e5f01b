import type { Command } from 'commander';

import { loadConfig, type SettingName, SETTINGS } from '../config';
import { OperatorError } from '../support/errors';
import { backUpDatabase, type BackupReport } from '../store';
import { numberText, textTable } from '../support/text';
import { commandOf, countedProgress, type Host, ProgressDisplay, storeOptions } from './run-command';

interface BackupCommandOptions {
  readonly replace?: boolean;
  readonly every?: string;
  readonly keep?: string;
}

/** `school-notifications backup FILE [--replace]` */
export function backup(host: Host): Command {
  return commandOf('backup', host)
    .description(
      'Writes a copy of the database (SQLite) and checks it. The service may be running meanwhile.',
    )
    .argument('<file>', 'the backup; with --every the folder for them')
    .option('--replace', 'puts it in place of a file that is there')
    .option(
      '--every <time>',
      'makes none, and prints the settings with which the service makes its own (6h, 1d)',
    )
    .option('--keep <number>', 'with --every: how many of them are kept')
    .action(async (file: string, { replace = false, ...schedule }: BackupCommandOptions) => {
      if (schedule.every !== undefined || schedule.keep !== undefined) {
        printSettings(host, file, schedule);
        return;
      }
      const display = new ProgressDisplay(host.stdout);
      try {
        const onPages = (done: number, of: number) => {
          display.show(countedProgress('pages', 'copied', done, of));
        };
        const report = await backUpDatabase(storeOptions(host).url, { file, replace, onPages });
        display.end();
        host.stdout.write(summary(report));
      } finally {
        display.end();
      }
    });
}

/** The service makes its own backups: one way, whoever asks for it. Standard output has nothing but the settings. */
function printSettings(host: Host, folder: string, { every, keep }: BackupCommandOptions): void {
  const given = {
    BACKUP_FOLDER: folder,
    BACKUP_EVERY: every ?? SETTINGS.BACKUP_EVERY.default,
    BACKUP_KEEP: keep ?? SETTINGS.BACKUP_KEEP.default,
  } satisfies Partial<Record<SettingName, string>>;
  loadConfig(given); // What is not allowed is told.
  host.stdout.write(
    Object.entries(given)
      .map(([name, value]) => `${name}=${quoted(value)}\n`)
      .join(''),
  );
  host.stderr.write(
    'Nothing was backed up yet: put these lines where the service’s settings are, and start it again.\n',
  );
}

function quoted(value: string): string {
  if (/^[\w./:-]*$/.test(value)) return value;
  if (value.includes("'"))
    throw new OperatorError('The folder’s name has an apostrophe: set BACKUP_FOLDER by hand.');
  return `'${value}'`;
}

function summary({ file, bytes, tables }: BackupReport): string {
  return `${rowsByTable(tables)}
${file}: ${numberText(bytes)} bytes; it is sound, with as many rows as the database.
`;
}

/** How many rows each table has, for the terminal. */
export function rowsByTable(tables: BackupReport['tables']): string {
  const rows = tables.map(({ table, rows: count }) => [table, numberText(count)]);
  return textTable(['table', 'rows'], rows, 1);
}
