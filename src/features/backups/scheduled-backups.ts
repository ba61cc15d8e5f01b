import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Logger } from 'pino';

import { type Config, databaseFile } from '../../config';
import { PROGRAM, runProgram } from '../../service/run-program';
import { ScheduledWork, type ScheduledWorkOptions, type WorkDone } from '../../service/scheduled-work';
import type { Store } from '../../store';
import type { Finding } from '../../support/errors';
import { makePrivateFolder } from '../../support/private-files';
import { cannotWrite, removeFile } from '../../support/replace-file';
import { timeInName } from '../../support/text';

const BACKUP_PREFIX = 'service-';
/** Matches the names of the service's own backups, so that no other file is removed. */
const BACKUP_NAME = /^service-\d{8}T\d{6}Z\.db$/;

interface ScheduledBackupsOptions extends Pick<ScheduledWorkOptions, 'everyMs' | 'logger' | 'now'> {
  readonly store: { readonly backups: ScheduledWorkOptions['turns'] };
  readonly folder: string;
  readonly keep: number;
  /** Makes and verifies a backup. @throws Error whose message says why the backup failed */
  readonly backUp: (file: string, signal: AbortSignal) => Promise<void>;
}

/** Backs up the database at intervals. */
export function scheduledBackups(options: ScheduledBackupsOptions): ScheduledWork {
  const { store, folder, keep, backUp, logger } = options;
  const work = async (begun: number, signal: AbortSignal): Promise<WorkDone> => {
    const file = join(folder, `${BACKUP_PREFIX}${timeInName(begun)}.db`);
    try {
      makePrivateFolder(folder);
    } catch (cause) {
      throw new Error(cannotWrite(`to the folder ${folder}`, cause), { cause });
    }
    await backUp(file, signal);
    const old = readdirSync(folder)
      .filter((name) => BACKUP_NAME.test(name))
      .toSorted()
      .slice(0, -keep);
    const kept = old.filter((name) => !removeFile(join(folder, name)));
    if (kept.length > 0)
      logger.warn({ files: kept }, 'old backups were not removed; close them in other programs');
    return { fields: { file } };
  };
  return new ScheduledWork({ ...options, name: 'database backup', turns: store.backups, work });
}

/**
 * Returns the scheduled backups of the settings; undefined if this process makes none.
 *
 * @param program - path of the program whose command `backup` makes them
 */
export function openBackups(
  config: Config,
  store: Store,
  logger: Logger,
  program = PROGRAM,
): ScheduledWork | undefined {
  const { BACKUP_FOLDER: folder, BACKUP_EVERY: everyMs, BACKUP_KEEP: keep, ROLE } = config;
  if (folder === undefined || ROLE === 'web' || databaseFile(config) === undefined) return undefined;
  // In a process of its own: verifying a large backup would block this one for seconds.
  const backUp = async (file: string, signal: AbortSignal) => {
    const { code, problem } = await runProgram(program, config, ['backup', file], { signal });
    if (code !== 0) throw new Error(problem);
  };
  return scheduledBackups({ store, folder, everyMs, keep, backUp, logger });
}

/** Warns of backup settings that have no effect. */
export function backupFindings(config: Config): readonly Finding[] {
  if (config.BACKUP_FOLDER === undefined || databaseFile(config) !== undefined) return [];
  const message =
    'BACKUP_FOLDER has no effect, because DATABASE_URL is not an SQLite file. See docs/backup-and-restore.md for PostgreSQL.';
  return [{ level: 'warn', message }];
}
