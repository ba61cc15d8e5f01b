import type { Command } from 'commander';

import { createCommand, countedProgress, type Host, storeOptions, withProgress } from '../../cli/run-command';
import { loadConfig, type SettingName, SETTINGS } from '../../config';
import { internalRows, SCHOOL_TABLES } from '../../store';
import { OperatorError } from '../../support/errors';
import { counted, numberText, textTable } from '../../support/text';
import { backUpDatabase, type BackupReport } from './back-up';
import { restoreDatabase, type RestoreReport } from './restore';

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
      const { url } = storeOptions(host);
      const report = await withCopiedPages(host, (onPages) =>
        backUpDatabase(url, { file, replace, onPages }),
      );
      host.stdout.write(summary(report));
    });
}

function withCopiedPages<T>(
  host: Host,
  work: (onPages: (done: number, of: number) => void) => Promise<T>,
): Promise<T> {
  return withProgress(host, (show) => work((done, of) => show(countedProgress('pages', 'copied', done, of))));
}

/**
 * Prints the settings with which the service makes scheduled backups. Standard output contains nothing else.
 */
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

/** Returns the row counts: separate for each of the school's tables, and a total for the internal ones. */
function rowsByTable(tables: BackupReport['tables']): string {
  const rows = tables
    .filter(({ table }) => SCHOOL_TABLES.includes(table))
    .map(({ table, rows: count }) => [table, numberText(count)]);
  return textTable(['table', 'rows'], [...rows, ['internal', numberText(internalRows(tables))]], 1);
}

interface RestoreCommandOptions {
  readonly replace?: boolean;
}

/** `school-notifications restore FILE [--replace]` */
export function restore(host: Host): Command {
  return createCommand('restore', host)
    .description(
      'Verifies a backup and makes it the database of DATABASE_URL (SQLite). Stop the service first.',
    )
    .argument('<file>', 'backup file; it is not changed')
    .option('--replace', 'if the database has data: keep it under another name beside the new one')
    .action(async (file: string, { replace = false }: RestoreCommandOptions) => {
      const { url } = storeOptions(host);
      const report = await withCopiedPages(host, (onPages) =>
        restoreDatabase(url, { file, replace, onPages }),
      );
      host.stdout.write(`${restoreSummary(report, file).join('\n')}\n`);
    });
}

function restoreSummary(
  { tables, upgradedFrom, queued, setAside }: RestoreReport,
  file: string,
): readonly string[] {
  return [
    rowsByTable(tables),
    `Restored from ${file}. Verified: same row counts as the backup.`,
    ...(upgradedFrom === undefined ? [] : [`The schema was upgraded from ${upgradedFrom}.`]),
    ...(setAside === undefined ? [] : [`The previous database was kept as ${setAside}.`]),
    ...(queued === 0
      ? []
      : [
          `The backup contains ${counted(queued, 'waiting message')}. Unless expired, they are sent when the service ` +
            'starts, possibly for the second time. To prevent this, use deliveries cancel before you start it.',
        ]),
  ];
}
