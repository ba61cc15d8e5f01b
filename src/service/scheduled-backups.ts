import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { Logger } from 'pino';

import { type Config, databaseFile } from '../config';
import { removeLeftBehind, type Store } from '../store';
import { errorMessage, type Finding } from '../support/errors';
import { timeInName } from '../support/text';

/** Interval at which due backups are looked for. */
const LOOK_MS = 60_000;
/** A backup that takes longer than this may be taken over by another process. */
const TURN_MS = 3_600_000;
/** Time until a failed backup is retried, unless one is due before. */
const AGAIN_MS = 10 * 60_000;

const PREFIX = 'service-';
/** Matches the names of the service's own backups, so that no other file is removed. */
const NAME = /^service-\d{8}T\d{6}Z\.db$/;

export interface ScheduledBackupsOptions {
  readonly store: { readonly backups: Pick<Store['backups'], 'takeTurn' | 'setNext'> };
  readonly folder: string;
  readonly everyMs: number;
  /** Number of backups to keep. */
  readonly keep: number;
  /**
   * Makes and verifies a backup.
   *
   * @throws Error with a line that says why there is none
   */
  readonly backUp: (file: string, signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
}

/** Backs up the database at intervals: among all its processes and nodes, one at a time does so. */
export class ScheduledBackups {
  readonly #options: ScheduledBackupsOptions;
  readonly #now: () => number;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: ScheduledBackupsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Starts looking for due backups. */
  start(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Aborts a backup in progress; it is made again when the service runs. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#looking;
  }

  /** Makes a backup if one is due and none is in progress here. Does not throw. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    }));
  }

  async #look(): Promise<void> {
    const { store, everyMs, logger } = this.#options;
    const begun = this.#now();
    try {
      if (!(await store.backups.takeTurn(begun, everyMs, TURN_MS))) return;
    } catch {
      return; // A store that does not answer is told of by others.
    }
    try {
      const file = await this.#make(begun);
      await store.backups.setNext(begun + everyMs);
      logger.info({ file, milliseconds: this.#now() - begun }, 'database backup completed');
    } catch (error) {
      const wasStopped = this.#stopping.signal.aborted;
      if (!wasStopped) logger.error({ reason: errorMessage(error) }, 'database backup failed');
      const againMs = wasStopped ? 0 : Math.min(AGAIN_MS, everyMs);
      await store.backups.setNext(this.#now() + againMs).catch(() => undefined); // The turn ends by itself.
    }
  }

  async #make(begun: number): Promise<string> {
    const { folder, keep, backUp } = this.#options;
    const file = join(folder, `${PREFIX}${timeInName(begun)}.db`);
    await backUp(file, this.#stopping.signal);
    const old = readdirSync(folder)
      .filter((name) => NAME.test(name))
      .toSorted()
      .slice(0, -keep);
    for (const name of old) rmSync(join(folder, name), { force: true });
    removeLeftBehind(folder, PREFIX);
    return file;
  }
}

/** The program, whose command `backup` is run. */
const PROGRAM = join(__dirname, '..', 'main.js');

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
  if (code !== 0) throw new Error((errors.trim().split('\n').at(-1) ?? '').replace(/^Error: /, ''));
}

/** Warns of backup settings that have no effect. */
export function backupFindings(config: Config): readonly Finding[] {
  if (config.BACKUP_FOLDER === undefined || databaseFile(config) !== undefined) return [];
  const message =
    'BACKUP_FOLDER has no effect, because DATABASE_URL is not an SQLite file. See docs/backup-and-restore.md for PostgreSQL.';
  return [{ level: 'warn', message }];
}
