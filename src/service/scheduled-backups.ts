import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Logger } from 'pino';

import { type Config, databaseFile } from '../config';
import { removeLeftBehind, type Store } from '../store';
import type { Finding } from '../support/errors';
import { timeInName } from '../support/text';
import {
  PROGRAM,
  runProgram,
  ScheduledWork,
  type ScheduledWorkOptions,
  type WorkDone,
} from './scheduled-work';

const PREFIX = 'service-';
/** Matches the names of the service's own backups, so that no other file is removed. */
const NAME = /^service-\d{8}T\d{6}Z\.db$/;

export interface ScheduledBackupsOptions extends Pick<ScheduledWorkOptions, 'everyMs' | 'logger' | 'now'> {
  readonly store: { readonly backups: ScheduledWorkOptions['turns'] };
  readonly folder: string;
  /** Number of backups to keep. */
  readonly keep: number;
  /**
   * Makes and verifies a backup.
   *
   * @throws Error with a line that says why there is none
   */
  readonly backUp: (file: string, signal: AbortSignal) => Promise<void>;
}

/** Backs up the database at intervals. */
export class ScheduledBackups extends ScheduledWork {
  readonly #options: ScheduledBackupsOptions;

  constructor(options: ScheduledBackupsOptions) {
    super({ ...options, name: 'database backup', turns: options.store.backups });
    this.#options = options;
  }

  protected override async work(begun: number, signal: AbortSignal): Promise<WorkDone> {
    return { fields: { file: await this.#make(begun, signal) } };
  }

  async #make(begun: number, signal: AbortSignal): Promise<string> {
    const { folder, keep, backUp } = this.#options;
    const file = join(folder, `${PREFIX}${timeInName(begun)}.db`);
    await backUp(file, signal);
    const old = readdirSync(folder)
      .filter((name) => NAME.test(name))
      .toSorted()
      .slice(0, -keep);
    for (const name of old) rmSync(join(folder, name), { force: true });
    removeLeftBehind(folder, PREFIX);
    return file;
  }
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
): ScheduledBackups | undefined {
  const { BACKUP_FOLDER: folder, BACKUP_EVERY: everyMs, BACKUP_KEEP: keep, ROLE } = config;
  if (folder === undefined || ROLE === 'web' || databaseFile(config) === undefined) return undefined;
  const backUp = (file: string, signal: AbortSignal) => runBackup(program, config, file, signal);
  return new ScheduledBackups({ store, folder, everyMs, keep, backUp, logger });
}

/** Runs a backup in a process of its own: verifying a large backup would block this one for seconds. */
async function runBackup(program: string, config: Config, file: string, signal: AbortSignal): Promise<void> {
  const { code, problem } = await runProgram(program, config, ['backup', file], signal);
  if (code !== 0) throw new Error(problem);
}

/** Warns of backup settings that have no effect. */
export function backupFindings(config: Config): readonly Finding[] {
  if (config.BACKUP_FOLDER === undefined || databaseFile(config) !== undefined) return [];
  const message =
    'BACKUP_FOLDER has no effect, because DATABASE_URL is not an SQLite file. See docs/backup-and-restore.md for PostgreSQL.';
  return [{ level: 'warn', message }];
}
