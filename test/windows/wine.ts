import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { atExit, freePort } from '../../scripts/harness';
import { quotedWord } from '../../src/support/shell';

/** Debian's 64-bit loader; the script `wine` asks for a 32-bit one, which Node.js does not need. */
const WINE = '/usr/lib/wine/wine64';
const WINE_SERVER = '/usr/lib/wine/wineserver64';
/** How long Wine's own processes outlive the last program of a run that died. */
const IDLE_SECONDS = 60;
/** Folder of what all test files share: prefix, Node.js and the unpacked program. The set-up prepares it. */
const SHARED = 'WINDOWS_UNDER_WINE';
/** Folder of the program, as an administrator may name it. */
export const PROGRAM_FOLDER = 'Öğrenci bildirim ş';
export type NodeMajor = 20 | 24;

/** Interval of looking at a file that a program writes. */
const LOOK_MS = 20;
/** How long a program may take on a busy machine. */
const LIMIT_MS = 300_000;

function shared(): string {
  const folder = process.env[SHARED];
  if (folder === undefined)
    throw new Error('The tests of the project "windows" need Wine: its set-up did not run.');
  return folder;
}

/** Returns the path on Linux of a path on drive C:, written with slashes and without the drive. */
export function driveC(path: string): string {
  return join(shared(), 'prefix', 'drive_c', path);
}

/** Gives a folder of Linux a letter of a drive. */
export function nameDrive(letter: string, path: string): void {
  symlinkSync(path, join(shared(), 'prefix', 'dosdevices', `${letter}:`));
}

export function nodePath(major: NodeMajor): string {
  return join(shared(), `node${String(major)}.exe`);
}

/** Variables of programs under Wine. Nothing of this process but PATH, so that its time zone and settings are unknown. */
function environmentOf(settings: Settings): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    // Otherwise names of files are ASCII.
    LC_ALL: 'C.UTF-8',
    // Of `script`: other shells end at once on a Ctrl-C for their program.
    SHELL: '/bin/bash',
    WINEPREFIX: join(shared(), 'prefix'),
    WINEDEBUG: '-all',
    // Neither .NET nor a browser is needed, and Wine would offer to load them.
    WINEDLLOVERRIDES: 'mscoree,mshtml=',
    // Otherwise half of a start is spent asking Wine whether one of a thousand modules is a link; the archive has none.
    NODE_OPTIONS: '--preserve-symlinks --preserve-symlinks-main',
    ...settings,
  };
}

export type Settings = Readonly<Record<string, string>>;

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Prepares prefix and Node.js in an empty folder. */
export async function prepareWine(folder: string, nodes: Readonly<Record<NodeMajor, string>>): Promise<void> {
  if (!existsSync(WINE))
    throw new Error(`The tests of Windows need Wine at ${WINE}: Debian's package wine64.`);
  process.env[SHARED] = folder;
  mkdirSync(join(folder, 'prefix'));
  // Wine's own processes then wait for the next program, instead of starting with each.
  spawnSync(WINE_SERVER, [`-p${String(IDLE_SECONDS)}`], { env: environmentOf({}), stdio: 'ignore' });
  for (const args of [
    ['wineboot', '-i'],
    // As which Wine introduces itself: Node.js refuses older ones.
    ['winecfg', '-v', 'win10'],
  ]) {
    const child = spawn(WINE, args, { env: environmentOf({}), stdio: 'ignore' });
    const code = await ended(child);
    if (code !== 0) throw new Error(`${WINE} ${args.join(' ')} failed (${String(code)}).`);
  }
  for (const major of [20, 24] as const) writeNode(nodes[major], nodePath(major));
}

/** Ends what still runs. */
export function endWine(): void {
  spawnSync(WINE_SERVER, ['-k'], { env: environmentOf({}), stdio: 'ignore' });
}

/**
 * Copies node.exe, and has V8 do without VirtualAlloc2 as on Windows before 10: Wine 8 has the function, but not its
 * placeholders, and Node.js 24 would end with "out of memory".
 */
function writeNode(from: string, to: string): void {
  const bytes = readFileSync(from);
  const name = Buffer.from('VirtualAlloc2\0');
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1))
    bytes.write('X', at + 12, 'latin1');
  writeFileSync(to, bytes, { mode: 0o755 });
}

let runs = 0;

/** Files that a program writes to: Node.js under this Wine cannot write to a pipe of Linux. */
function outputFiles(): readonly [out: string, errors: string] {
  runs += 1;
  const name = join(shared(), `run-${String(process.pid)}-${String(runs)}`);
  return [`${name}.out`, `${name}.err`];
}

export interface RunOptions {
  readonly settings?: Settings;
  /** Text on its standard input; default: none. */
  readonly input?: string;
}

/** Runs a program of Windows by its name or path. */
export async function runWine(
  args: readonly string[],
  { settings = {}, input }: RunOptions = {},
): Promise<Result> {
  const [out, errors] = outputFiles();
  // A file as well: Node.js under this Wine reads from no pipe of Linux.
  const inputFile = input === undefined ? undefined : `${out}.in`;
  if (inputFile !== undefined) writeFileSync(inputFile, input ?? '');
  const child = start(WINE, args, { settings, out, errors, inputFile });
  const code = await ended(child);
  return { code, stdout: readFileSync(out, 'utf8'), stderr: readFileSync(errors, 'utf8') };
}

/** Folder of the compiled program, for Windows. */
const DIST = `C:\\${PROGRAM_FOLDER}\\node_modules\\school-notifications\\dist`;
const MAIN = `${DIST}\\main.js`;

interface Start {
  /** Keeps its input open, for keys that are pressed. */
  readonly hasInput?: boolean;
  readonly inputFile?: string | undefined;
  readonly settings: Settings;
  readonly out: string;
  readonly errors: string;
}

const running = new Set<ChildProcess>();

function start(
  program: string,
  args: readonly string[],
  { hasInput = false, inputFile, settings, out, errors }: Start,
): ChildProcess {
  const [toOut, toErrors] = [openSync(out, 'w'), openSync(errors, 'w')];
  const input = inputFile === undefined ? undefined : openSync(inputFile, 'r');
  try {
    const child = spawn(program, args, {
      cwd: driveC(PROGRAM_FOLDER),
      env: environmentOf(settings),
      stdio: [input ?? (hasInput ? 'pipe' : 'ignore'), toOut, toErrors],
    });
    const kill = atExit(() => child.kill('SIGKILL'));
    running.add(child);
    child.once('exit', () => {
      running.delete(child);
      kill();
    });
    return child;
  } finally {
    for (const file of [toOut, toErrors, input]) if (file !== undefined) closeSync(file);
  }
}

function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => child.once('exit', resolve));
}

/** A program that keeps running. */
export class Running {
  readonly #child: ChildProcess;
  readonly #out: string;
  readonly #errors: string;

  /** @param inTerminal - runs it in a terminal of Linux, which Wine makes its console */
  constructor(args: readonly string[], settings: Settings, inTerminal = false) {
    [this.#out, this.#errors] = outputFiles();
    const files = { out: this.#out, errors: this.#errors };
    if (!inTerminal) {
      this.#child = start(WINE, args, { settings, ...files });
      return;
    }
    // What is inside writes to the files, and `script` to its own.
    const line = `${[WINE, ...args].map(quotedWord).join(' ')} >${quotedWord(files.out)} 2>${quotedWord(files.errors)}; exit $?`;
    writeFileSync(files.out, '');
    writeFileSync(files.errors, '');
    const [out, errors] = outputFiles();
    this.#child = start('script', ['-qfec', line, '/dev/null'], { settings, out, errors, hasInput: true });
  }

  get log(): string {
    return readFileSync(this.#out, 'utf8');
  }

  get errors(): string {
    return readFileSync(this.#errors, 'utf8');
  }

  /** Resolves when what it writes matches. */
  async says(pattern: RegExp): Promise<void> {
    const deadline = Date.now() + LIMIT_MS;
    while (!pattern.test(this.log) && !pattern.test(this.errors)) {
      if (this.#child.exitCode !== null || Date.now() > deadline)
        throw new Error(`It did not write ${String(pattern)}: ${this.errors}\n${this.log}`);
      await delay(LOOK_MS);
    }
  }

  /** Ends it as Task Manager does: it hears nothing of it. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await ended(this.#child);
  }

  /** Resolves with its exit code. */
  async ended(): Promise<number | null> {
    return ended(this.#child);
  }

  /** Presses Ctrl-C in its terminal. */
  pressCtrlC(): void {
    this.#child.stdin?.write('\u0003');
  }
}

/** Libuv's flag for a file that no other program may open, as Excel has it while it saves. */
const ALONE = 0x1000_0000;

/** Has a file open as other programs of Windows have it, until it is killed. */
export async function hold(path: string): Promise<Running> {
  const script = `require('fs').openSync(process.argv[1], require('fs').constants.O_RDWR | ${String(ALONE)}); console.error('held'); setInterval(() => 0, 1e6)`;
  const holder = new Running([nodePath(24), '-e', script, path], {});
  await holder.says(/held/);
  return holder;
}

/** Runs commands of the program one after the other in one process, since a start takes seconds. */
export class Commands extends Running {
  constructor(node: NodeMajor = 24) {
    copyFileSync(join(__dirname, 'commands.cjs'), driveC('commands.cjs'));
    super([nodePath(node), 'C:\\commands.cjs', DIST], {});
  }

  /** Returns the address that takes commands. */
  async url(): Promise<string> {
    await this.says(LISTENING);
    return `http://127.0.0.1:${LISTENING.exec(this.errors)?.[1] ?? ''}/`;
  }

  async run(args: readonly string[], options?: RunOptions): Promise<Result> {
    return askCommand(await this.url(), args, options);
  }
}

const LISTENING = /^Commands on port (\d+)\.$/m;

async function askCommand(
  url: string,
  args: readonly string[],
  { settings = {}, input }: RunOptions = {},
): Promise<Result> {
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ args, settings, input }) });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text) as Result;
}

/** Variable with the address of the process that runs commands for all test files, on Node.js 24. */
const COMMANDS = 'WINDOWS_COMMANDS';

/** Starts the process that runs commands for all test files. */
export async function startCommands(): Promise<void> {
  process.env[COMMANDS] = await new Commands().url();
}

/** Runs a command of the program in the process that all test files share. */
export function runCommand(args: readonly string[], options?: RunOptions): Promise<Result> {
  return askCommand(process.env[COMMANDS] ?? '', args, options);
}

interface ServiceOptions {
  readonly node?: NodeMajor;
  readonly inTerminal?: boolean;
}

/** A service under Wine. */
export class Service extends Running {
  constructor(
    readonly port: number,
    readonly adminPort: number,
    settings: Settings,
    { node = 24, inTerminal = false }: ServiceOptions,
  ) {
    super([nodePath(node), MAIN, 'start'], settings, inTerminal);
  }

  async up(): Promise<this> {
    await this.says(/^Press Ctrl-C/m);
    return this;
  }

  url(path: string): string {
    return `http://127.0.0.1:${String(this.port)}${path}`;
  }

  adminUrl(path: string): string {
    return `http://127.0.0.1:${String(this.adminPort)}${path}`;
  }
}

/** Starts the service on free ports; resolves when it answers. */
export async function startService(settings: Settings, options: ServiceOptions = {}): Promise<Service> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const ports = { PORT: String(port), ADMIN_PORT: String(adminPort) };
  return new Service(port, adminPort, { ...ports, ...settings }, options).up();
}

/** Ends the programs that a test has left. */
export async function endRunning(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      child.kill('SIGKILL');
      return ended(child);
    }),
  );
}
