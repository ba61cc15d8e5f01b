import { hash } from 'node:crypto';
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import type { Logger } from 'pino';

import type { Config } from '../../config';
import { PROGRAM, runProgram } from '../../service/run-program';
import { ScheduledWork, type ScheduledWorkOptions, type WorkDone } from '../../service/scheduled-work';
import { isTable, type Store } from '../../store';
import { errorWord } from '../../support/errors';
import { errorsFileIn } from './errors-file';

/** Interval between looks at the folder. */
const IMPORT_EVERY_MS = 60_000;
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
  const errorsFile = errorsFileIn(config.DATA_DIR);
  return scheduledImports({ store, folder, errorsFile, everyMs: IMPORT_EVERY_MS, options, run, logger });
}
