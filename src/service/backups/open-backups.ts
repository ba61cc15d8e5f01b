import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { Logger } from 'pino';

import { type Config, databaseFile } from '../../config';
import type { Finding } from '../../support/errors';
import type { Store } from '../../store';
import { ScheduledBackups } from './scheduled-backups';

/** The program with all commands, of which one makes a backup. */
const PROGRAM = join(__dirname, '..', 'program.js');

/**
 * Returns the scheduled backups of the settings; undefined where this process makes none.
 *
 * @param program - path of the program whose command `backup` makes them
 */
export function openBackups(
  config: Config,
  store: Store,
  logger: Logger,
  program = PROGRAM,
): ScheduledBackups | undefined {
  const { BACKUP_FOLDER: folder, BACKUP_EVERY: everyMs, BACKUP_KEEP: keep, ROLE } = config;
  if (folder === undefined || ROLE === 'web' || databaseFile(config) === undefined) return undefined;
  const backUp = (file: string, signal: AbortSignal) => runBackup(program, config, file, signal);
  return new ScheduledBackups({ store, folder, everyMs, keep, backUp, logger });
}

/** A process of its own: to check a large backup takes seconds, in which this one would do nothing else. */
async function runBackup(
  program: string,
  { DATABASE_URL }: Config,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const child = spawn(process.execPath, [program, 'backup', file], {
    env: { ...process.env, DATABASE_URL, DATABASE_URL_FILE: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
    signal,
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code, errors] = await Promise.all([ended, text(child.stderr)]);
  if (code !== 0) throw new Error(errors.trim().split('\n').at(-1) ?? '');
}

/** Settings for backups that have no effect. */
export function backupFindings(config: Config): readonly Finding[] {
  if (config.BACKUP_FOLDER === undefined || databaseFile(config) !== undefined) return [];
  const message =
    'BACKUP_FOLDER has no effect: DATABASE_URL names no file of SQLite; docs/backup.md says how PostgreSQL is backed up';
  return [{ level: 'warn', message }];
}
