import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

import type { Logger } from 'pino';

import { type Config, importErrorsFile } from '../config';
import { isTable, type Store } from '../store';
import { errorMessage, errorWord } from '../support/errors';

/**
 * Interval at which due work is looked for; work that is due a minute later must not wait for a second one.
 */
const LOOK_MS = 20_000;
/** Work that takes longer than this may be taken over by another process. */
const TURN_MS = 3_600_000;
/** Time until failed work is retried, unless it is due before. */
const AGAIN_MS = 10 * 60_000;
/** Interval between looks at the folder of imports. */
const IMPORT_EVERY_MS = 60_000;

export interface ScheduledWorkOptions {
  /** Name in the log. */
  readonly name: string;
  readonly turns: Pick<Store['backups'], 'takeTurn' | 'setNext'>;
  readonly everyMs: number;
  readonly logger: Logger;
  /**
   * @param begun - milliseconds since 1970 UTC
   * @throws Error with a line that says why it failed
   */
  readonly work: (begun: number, signal: AbortSignal) => Promise<WorkDone>;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
}

/** Result of a turn. */
export interface WorkDone {
  /** Fields of its log line; undefined if there was nothing to do. */
  readonly fields?: Readonly<Record<string, string | number>>;
  /** Milliseconds from its begin to the next turn; default: the interval. */
  readonly againMs?: number;
}

/** Offers what a feature's work may use. */
export interface WorkCore {
  readonly config: Config;
  readonly store: Store;
  readonly logger: Logger;
}

/** Does some work at intervals: among all processes and nodes of a database, one at a time does so. */
export class ScheduledWork {
  readonly #options: ScheduledWorkOptions;
  readonly #now: () => number;
  readonly #stopping = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;

  constructor(options: ScheduledWorkOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Starts looking for due work. */
  start(): void {
    void this.look();
    this.#timer = setInterval(() => void this.look(), LOOK_MS).unref();
  }

  /** Aborts the work in progress; it is done again when the service runs. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopping.abort();
    await this.#looking;
  }

  /** Does the work if it is due and not in progress here. Does not throw. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    }));
  }

  async #look(): Promise<void> {
    const { name, turns, everyMs, work, logger } = this.#options;
    const begun = this.#now();
    try {
      if (!(await turns.takeTurn(begun, everyMs, TURN_MS))) return;
    } catch {
      return; // The store reports its own failures.
    }
    try {
      const { fields, againMs = everyMs } = await work(begun, this.#stopping.signal);
      await turns.setNext(begun + againMs);
      if (fields !== undefined) {
        logger.info({ ...fields, milliseconds: this.#now() - begun }, `${name} completed`);
      }
    } catch (error) {
      const wasStopped = this.#stopping.signal.aborted;
      if (!wasStopped) logger.error({ reason: errorMessage(error) }, `${name} failed`);
      const againMs = wasStopped ? 0 : Math.min(AGAIN_MS, everyMs);
      await turns.setNext(this.#now() + againMs).catch(() => undefined); // The turn ends by itself.
    }
  }
}

/** The program, whose commands do the work. */
export const PROGRAM = join(__dirname, '..', 'main.js');
/** Limit on a command's own memory, in MB, below that of the unit: an import of a million rows needs 180. */
const MAX_HEAP_MB = 512;
const OUT_OF_MEMORY = `The command needs more than ${String(MAX_HEAP_MB)} MB of memory. Use smaller files.`;

interface RunOptions {
  readonly signal: AbortSignal;
  /** Name for the record of the import. */
  readonly who?: string;
  /** Receives what the command reports of itself. */
  readonly onMessage?: (message: unknown) => void;
}

/**
 * Runs a command on the database in a process of its own, which leaves this one free for requests.
 *
 * @returns its exit code, what it printed, and the last line of its errors
 */
export async function runProgram(
  program: string,
  { DATABASE_URL }: Config,
  args: readonly string[],
  { signal, who = 'service', onMessage }: RunOptions,
): Promise<{ readonly code: number | null; readonly out: string; readonly problem: string }> {
  const child = spawn(process.execPath, [`--max-old-space-size=${String(MAX_HEAP_MB)}`, program, ...args], {
    env: { ...process.env, DATABASE_URL, DATABASE_URL_FILE: '', AUDIT_WHO: who },
    // The command ends when the channel does.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    signal,
  });
  if (onMessage !== undefined) child.on('message', onMessage);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const outputOf = (stream: Readable | null) => (stream === null ? '' : text(stream));
  const [code, out, errors] = await Promise.all([ended, outputOf(child.stdout), outputOf(child.stderr)]);
  if (errors.includes('heap out of memory')) return { code, out, problem: OUT_OF_MEMORY };
  return { code, out, problem: STACK.test(errors) ? UNEXPECTED : lastError(errors) };
}

const STACK = /^ +at /m;
/** Replaces an error of the program itself, which says nothing to an operator. */
const UNEXPECTED = 'The command failed unexpectedly. Run it in a shell to see its error.';

function lastError(errors: string): string {
  return (errors.trim().split('\n').at(-1) ?? '').replace(/^Error: /, '');
}

/** Files are complete when none has changed for this time. */
const SETTLED_MS = 60_000;
/** Maximum length of a report that is kept; the errors file has all errors. */
const MAX_REPORT = 20_000;

interface ScheduledImportsOptions extends Pick<ScheduledWorkOptions, 'everyMs' | 'logger' | 'now'> {
  readonly store: Pick<Store, 'imports'>;
  readonly folder: string;
  /** Path of the file for the errors of the last import. */
  readonly errorsFile: string;
  /** Runs the command `import` with these arguments. */
  readonly run: (args: readonly string[], signal: AbortSignal) => ReturnType<typeof runProgram>;
  /** Further options of the command. */
  readonly options: readonly string[];
}

/** Imports the files of a folder whenever they have changed. */
export function scheduledImports(given: ScheduledImportsOptions): ScheduledWork {
  const { store, folder, errorsFile, run, options } = given;
  const { imports } = store;
  const work = async (begun: number, signal: AbortSignal): Promise<WorkDone> => {
    let files;
    try {
      files = filesIn(folder);
    } catch (error) {
      const report = `Cannot read the folder ${folder} (${errorWord(error)}).`;
      await imports.record({ at: begun, isGood: false, state: '', filesAt: begun, report });
      throw new Error(report, { cause: error });
    }
    const { state, filesAt } = files;
    if (state === '' || (await imports.last())?.state === state) return {};
    // A time in the future is another clock's.
    if (Math.abs(begun - filesAt) < SETTLED_MS) return { againMs: SETTLED_MS };

    const { code, out, problem } = await run(['import', folder, '--errors', errorsFile, ...options], signal);
    const isGood = code === 0;
    // Errors in the files stay until they change; anything else may be over by the next time.
    const isOfFiles = isGood || problem === '';
    const report = `${out}${problem}`.slice(0, MAX_REPORT);
    await imports.record({ at: begun, isGood, state: isOfFiles ? state : '', filesAt, report });
    if (!isGood) throw new Error(problem || `The files have errors: see ${errorsFile} and the console.`);
    return { fields: { folder } };
  };
  return new ScheduledWork({ ...given, name: 'import', turns: imports, work });
}

/**
 * Returns a digest of the names, sizes and times of the files, empty without any, and the time of the last
 * change.
 */
function filesIn(folder: string): { readonly state: string; readonly filesAt: number } {
  const files = readdirSync(folder)
    .filter(isTable)
    .map((name) => {
      const { size, mtimeMs, ctimeMs } = lstatSync(join(folder, name));
      return { name, size, mtimeMs, at: Math.max(mtimeMs, ctimeMs) };
    });
  const state = hash('sha256', JSON.stringify(files), 'base64url');
  return { state: files.length === 0 ? '' : state, filesAt: Math.max(...files.map(({ at }) => at)) };
}

/**
 * Returns the imports of the settings; undefined if this process makes none.
 *
 * @param program - path of the program whose command `import` makes them
 */
export function openImports(
  config: Config,
  store: Store,
  logger: Logger,
  program = PROGRAM,
): ScheduledWork | undefined {
  const { IMPORT_FOLDER: folder, IMPORT_OPTIONS: options, ROLE } = config;
  if (folder === undefined || ROLE === 'web') return undefined;
  const run: ScheduledImportsOptions['run'] = (args, signal) => runProgram(program, config, args, { signal });
  const errorsFile = importErrorsFile(config);
  return scheduledImports({ store, folder, errorsFile, everyMs: IMPORT_EVERY_MS, options, run, logger });
}
