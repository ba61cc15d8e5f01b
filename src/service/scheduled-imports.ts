import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

import type { Logger } from 'pino';

import type { Config } from '../config';
import { ERRORS_FILE, isTable, type Store } from '../store';
import { errorWord } from '../support/errors';
import {
  PROGRAM,
  runProgram,
  ScheduledWork,
  type ScheduledWorkOptions,
  type WorkDone,
} from './scheduled-work';

/** Files are complete when none has changed for this time. */
const SETTLED_MS = 60_000;
/** Maximum length of a report that is kept; the errors file has all errors. */
const MAX_REPORT = 20_000;

export interface ScheduledImportsOptions extends Pick<ScheduledWorkOptions, 'everyMs' | 'logger' | 'now'> {
  readonly store: Pick<Store, 'imports'>;
  readonly folder: string;
  /** Runs the command `import` with these arguments. */
  readonly run: (
    args: readonly string[],
    signal: AbortSignal,
  ) => Promise<Awaited<ReturnType<typeof runProgram>>>;
  /** Further options of the command. */
  readonly options: readonly string[];
}

/** Imports the files of a folder whenever they have changed. */
export class ScheduledImports extends ScheduledWork {
  readonly #options: ScheduledImportsOptions;

  constructor(options: ScheduledImportsOptions) {
    super({ ...options, name: 'import', turns: options.store.imports });
    this.#options = options;
  }

  protected override async work(begun: number, signal: AbortSignal): Promise<WorkDone> {
    const { store, folder, run, options } = this.#options;
    const { imports } = store;
    const errors = join(folder, ERRORS_FILE);
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

    const { code, out, problem } = await run(['import', folder, '--errors', errors, ...options], signal);
    const isGood = code === 0;
    // Errors in the files stay until they change; anything else may be over by the next time.
    const isOfFiles = isGood || problem === '';
    const report = `${out}${problem}`.slice(0, MAX_REPORT);
    await imports.record({ at: begun, isGood, state: isOfFiles ? state : '', filesAt, report });
    if (!isGood) throw new Error(problem || `The files have errors: see ${errors} and the console.`);
    rmSync(errors, { force: true });
    return { fields: { folder } };
  }
}

/** Returns a digest of the names, sizes and times of the files, empty without any, and the time of the last change. */
function filesIn(folder: string): { readonly state: string; readonly filesAt: number } {
  const files = readdirSync(folder)
    .filter(isTable)
    .map((name) => {
      const { size, mtimeMs, ctimeMs } = statSync(join(folder, name));
      return { name, size, mtimeMs, at: Math.max(mtimeMs, ctimeMs) };
    });
  const state = createHash('sha256').update(JSON.stringify(files)).digest('base64url');
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
): ScheduledImports | undefined {
  const { IMPORT_FOLDER: folder, IMPORT_EVERY: everyMs, IMPORT_OPTIONS: options, ROLE } = config;
  if (folder === undefined || ROLE === 'web') return undefined;
  const run: ScheduledImportsOptions['run'] = (args, signal) => runProgram(program, config, args, signal);
  return new ScheduledImports({ store, folder, everyMs, options, run, logger });
}
