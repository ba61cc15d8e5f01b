import type { Command } from 'commander';

import { loadConfig, type SettingName, SETTINGS } from '../config';
import { OperatorError } from '../support/errors';
import { backUpDatabase, type BackupReport, SCHOOL_TABLES } from '../store';
import { numberText, textTable } from '../support/text';
import { createCommand, countedProgress, type Host, ProgressDisplay, storeOptions } from './run-command';

interface BackupCommandOptions {
  readonly replace?: boolean;
  readonly every?: string;
  readonly keep?: string;
}

/** `school-notifications backup FILE [--replace]` */
export function backup(host: Host): Command {
  return createCommand('backup', host)
    .description('Copies the SQLite database to a file and verifies the copy. The service may be running.')
    .argument('<file>', 'backup file to write; with --every, the backup folder')
    .option('--replace', 'overwrite an existing file')
    .option(
      '--every <time>',
      'make no backup; print the settings for scheduled backups by the service (6h, 1d)',
    )
    .option('--keep <number>', 'with --every: number of backups to keep')
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

/** Prints the settings with which the service makes scheduled backups. Standard output contains nothing else. */
function printSettings(host: Host, folder: string, { every, keep }: BackupCommandOptions): void {
  const given = {
    BACKUP_FOLDER: folder,
    BACKUP_EVERY: every ?? SETTINGS.BACKUP_EVERY.default,
    BACKUP_KEEP: keep ?? SETTINGS.BACKUP_KEEP.default,
  } satisfies Partial<Record<SettingName, string>>;
  loadConfig(given); // Throws for a value that is not allowed.
  host.stdout.write(
    Object.entries(given)
      .map(([name, value]) => `${name}=${quoted(value)}\n`)
      .join(''),
  );
  host.stderr.write('No backup was made. Add these lines to the service’s settings and restart it.\n');
}

function quoted(value: string): string {
  if (/^[\w./:-]*$/.test(value)) return value;
  if (value.includes("'"))
    throw new OperatorError('The folder name contains an apostrophe. Set BACKUP_FOLDER by hand.');
  return `'${value}'`;
}

function summary({ file, bytes, tables }: BackupReport): string {
  return `${rowsByTable(tables)}
Backup written to ${file} (${numberText(bytes)} bytes). Verified: same row counts as the database.
`;
}

/**
 * Returns the row counts for the terminal: separate for each of the school's tables, and a total for the internal ones.
 */
export function rowsByTable(tables: BackupReport['tables']): string {
  const rows = tables
    .filter(({ table }) => SCHOOL_TABLES.includes(table))
    .map(({ table, rows: count }) => [table, numberText(count)]);
  return textTable(['table', 'rows'], [...rows, ['internal', internalRows(tables)]], 1);
}

/** Returns the number of rows in all tables that are not the school's, as text. */
export function internalRows(tables: BackupReport['tables']): string {
  const internal = tables.filter(({ table }) => !SCHOOL_TABLES.includes(table));
  return numberText(internal.reduce((sum, { rows }) => sum + rows, 0));
}
