import { spawn } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import type { Logger } from 'pino';

import { type Config, databaseFile } from '../config';
import { removeLeftBehind, type Store } from '../store';
import { errorMessage, type Finding } from '../support/errors';
import { timeInName } from '../support/text';

/** How often it is looked whether a backup is due. */
const LOOK_MS = 60_000;
/** A turn that came to no end in this time is another's. */
const TURN_MS = 3_600_000;
/** When one that failed is tried again, unless one is due before. */
const AGAIN_MS = 10 * 60_000;

const PREFIX = 'service-';
/** Of those that the service has made: others of the folder are none of its business. */
const NAME = /^service-\d{8}T\d{6}Z\.db$/;

export interface ScheduledBackupsOptions {
  readonly store: { readonly backups: Pick<Store['backups'], 'takeTurn' | 'setNext'> };
  readonly folder: string;
  readonly everyMs: number;
  /** How many stay. */
  readonly keep: number;
  /**
   * Makes a backup and checks it.
   *
   * @throws Error with a line that says why there is none
   */
  readonly backUp: (file: string, signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
}

/** Backs the database up now and then: of all processes and nodes on it, one at a time does. */
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

  /** From now on. */
  start(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Ends one that is under way; it is made again when the service runs. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#looking;
  }

  /** Makes a backup where one is due, unless one is under way here. It does not throw. */
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

/** The program with all commands, of which one makes a backup. */
const PROGRAM = join(__dirname, '..', 'main.js');

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
  if (code !== 0) throw new Error((errors.trim().split('\n').at(-1) ?? '').replace(/^Error: /, ''));
}

/** Settings for backups that have no effect. */
export function backupFindings(config: Config): readonly Finding[] {
  if (config.BACKUP_FOLDER === undefined || databaseFile(config) !== undefined) return [];
  const message =
    'BACKUP_FOLDER has no effect, because DATABASE_URL is not an SQLite file. See docs/backup-and-restore.md for PostgreSQL.';
  return [{ level: 'warn', message }];
}
