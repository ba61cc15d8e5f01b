import { inspect } from 'node:util';

import { Presets, SingleBar } from 'cli-progress';
import { Command, CommanderError } from 'commander';

import { databaseOptions, dataPaths, readSettings } from '../config';
import { openStore, type Store, type StoreOptions } from '../store';
import { OperatorError } from '../support/errors';
import { exposedFiles } from '../support/private-files';
import { numberText, shown } from '../support/text';

/** Parts of the process that a command uses. */
export interface Host {
  readonly argv: readonly string[];
  readonly versions: { readonly node: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
  /** Calls back on the first Ctrl-C or request to terminate; a second one ends the process immediately. */
  once?(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  off?(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  /** Reports to the service, if it runs the command. */
  send?(message: unknown): unknown;
  /** Exit code of the process; 0 unless set. */
  exitCode?: number | string | null | undefined;
}

/** A command of the terminal. Its code is loaded only when it is run. */
export interface OfferedCommand {
  readonly about: string;
  /** Example arguments, one line each. */
  readonly examples: readonly string[];
  readonly load: () => Promise<(host: Host) => Command>;
}

export function createCommand(name: string, { stdout, stderr }: Host): Command {
  return new Command(name).exitOverride().configureOutput({
    writeOut: (text) => stdout.write(text),
    writeErr: (text) => stderr.write(text),
    outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
  });
}

/**
 * Returns the store options from the settings, which the service shares: environment variables and `.env`.
 */
export function storeOptions(host: Host): StoreOptions {
  const { config } = readSettings(host.env);
  warnOfLoose(dataPaths(config), host);
  return databaseOptions(config);
}

/** Warns the operator about files and folders that other users can access. */
export function warnOfLoose(paths: readonly string[], host: Host): void {
  printErrors(
    exposedFiles(paths).map(({ message }) => `Warning: ${message}`),
    host,
  );
}

/**
 * Runs a command. An error that the operator can correct is printed in one line, any other with its stack.
 * The exit code is then 1, or the one set by the command.
 */
export async function runCommand(make: (host: Host) => Command, host: Host): Promise<void> {
  try {
    await make(host).parseAsync(host.argv);
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already printed the error or the help.
      host.exitCode = error.exitCode === 0 ? 0 : (host.exitCode ?? error.exitCode);
      return;
    }
    printErrors(
      (error instanceof OperatorError ? `Error: ${error.message}` : inspect(error)).split('\n'),
      host,
    );
    host.exitCode ??= 1;
  }
}

function printErrors(lines: readonly string[], { stderr }: Host): void {
  stderr.write(lines.map((line) => `${shown(line)}\n`).join(''));
}

/**
 * Runs work on the existing database of the settings, and closes it.
 *
 * @throws StoreError if it cannot be opened
 */
export async function onStore<T>(host: Host, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ ...storeOptions(host), mustExist: true });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

export interface Progress {
  /** Current part of work with several parts; each has a bar of its own. */
  readonly part?: string;
  readonly done: number;
  /** Total; 0 for an empty part, which counts as done. */
  readonly of: number;
  /** Text after the bar. */
  readonly text: string;
  /** Text after the percentage without a terminal; undefined prints nothing there. */
  readonly line?: string | undefined;
}

/** Number of lines printed without a terminal. */
const TENTHS = 10;

/** Shows the progress of long work: a bar on a terminal, plain lines elsewhere (a log file, a pipe). */
export class ProgressDisplay {
  readonly #output: Host['stdout'];
  readonly #clears: boolean;
  #bar: SingleBar | undefined;
  #part = '';
  #tenths = 0;

  /** @param options.clears - true to remove the bar when all is done */
  constructor(output: Host['stdout'], { clears = false } = {}) {
    this.#output = output;
    this.#clears = clears;
  }

  readonly show = (progress: Progress): void => {
    if (this.#output.isTTY === true) this.#showBar(progress);
    else this.#showLine(progress);
  };

  /** Leaves the bar in place; further output begins on a new line. */
  end(): void {
    this.#bar?.stop();
    this.#bar = undefined;
  }

  #showBar({ part = '', done, of, text }: Progress): void {
    if (part !== this.#part) this.end();
    this.#part = part;
    const payload = { part: part === '' ? '' : `${part} `, text };
    if (this.#bar === undefined) {
      const format = '{part}{bar} {percentage} % | {text}';
      this.#bar = new SingleBar(
        { format, stream: this.#output, clearOnComplete: this.#clears },
        Presets.shades_classic,
      );
      this.#bar.start(Math.max(of, 1), 0, payload);
    }
    this.#bar.update(of === 0 ? 1 : done, payload);
    // The last steps run in the database and may block the timer that draws the bar.
    if (done >= of) this.#bar.render();
  }

  #showLine({ part = '', done, of, line }: Progress): void {
    const tenths = of === 0 ? TENTHS : Math.floor((done / of) * TENTHS);
    if (line === undefined || (part === this.#part && tenths === this.#tenths)) return;
    this.#part = part;
    this.#tenths = tenths;
    this.#output.write(`${part === '' ? '' : `${part}: `}${String(tenths * TENTHS)} % ${line}\n`);
  }
}

/** Runs work with a progress display, which ends with it. */
export async function withProgress<T>(
  { stdout }: Host,
  work: (show: ProgressDisplay['show']) => Promise<T>,
): Promise<T> {
  const display = new ProgressDisplay(stdout);
  try {
    return await work(display.show);
  } finally {
    display.end();
  }
}

/**
 * Returns the progress of work on countable things.
 *
 * @param unit - the things counted, in the plural
 * @param what - the activity, in a word or a few
 */
export function countedProgress(unit: string, what: string, done: number, of: number): Progress {
  const line = `of ${numberText(of)} ${unit}, ${what}`;
  return { done, of, text: `${numberText(done)} ${line}`, line };
}
