import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ConnectionOptions } from 'node:tls';

import { PACKAGE_ROOT } from '../../src/support/package-root';
import { type Usage, usageOf } from './process-usage';
import { exchange } from './raw-http';
import type { RawRequest } from './raw-request';
import type { RawResponse } from './raw-response';
import { atExit } from './run-folder';

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServerOptions {
  /** Variables beside PATH. */
  readonly environment: Readonly<Record<string, string>>;
  /** Working directory; this process's unless given. */
  readonly folder?: string;
  /** Options for Node itself. */
  readonly nodeOptions?: readonly string[];
  /** Holds what the program is called with. */
  readonly args?: readonly string[];
  /** Gets the lines of standard output, the log; without it the log is written and read by nobody. */
  readonly onLogLine?: (line: string) => void;
}

/** The compiled program of the package, with all commands. */
export const PROGRAM = join(PACKAGE_ROOT, 'dist', 'main.js');

/** Longer than a service may take to stop in good order. */
const STOP_TIMEOUT_MS = 40_000;
/** How long something that a server is to write may take, on a busy machine too. */
const WRITE_TIMEOUT_MS = 120_000;

/**
 * The environment of a program that is tried: PATH, its settings and nothing else of this process but where coverage is
 * written, if it is (`npm run coverage`).
 */
export function childEnvironment(settings: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH, CHILD_COVERAGE } = process.env;
  return {
    PATH,
    ...(CHILD_COVERAGE !== undefined && { NODE_V8_COVERAGE: CHILD_COVERAGE }),
    ...settings,
  };
}

/** A server as a process of its own; it does not outlive this process, however that one ends. */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #end: Promise<ProcessEnd>;
  #waiting: (() => void)[] = [];
  #errors = '';
  #port = 0;
  #ended = false;

  constructor(
    program: string,
    { environment, folder, nodeOptions = [], args = [], onLogLine }: ServerOptions,
  ) {
    this.#child = spawn(process.execPath, [...nodeOptions, program, ...args], {
      cwd: folder,
      env: childEnvironment(environment),
      stdio: ['ignore', onLogLine === undefined ? 'ignore' : 'pipe', 'pipe'],
    });
    const kill = atExit(() => this.#child.kill('SIGKILL'));
    const { stdout, stderr } = this.#child;
    if (stdout !== null && onLogLine !== undefined) {
      createInterface(stdout).on('line', (line) => {
        onLogLine(line);
        this.#wake();
      });
    }
    stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
      this.#wake();
    });
    this.#end = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        kill(); // A process that has ended takes no signal.
        this.#ended = true;
        resolve({ code, signal });
        this.#wake();
      });
    });
  }

  /** Returns what it wrote to standard error. */
  get errors(): string {
    return this.#errors;
  }

  /** 0 where it could not be started. */
  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get usage(): Usage {
    return usageOf(this.pid);
  }

  /**
   * Waits until it has said this on standard error, and returns the first group.
   *
   * @throws Error when it ends before, or takes two minutes
   */
  async says(pattern: RegExp): Promise<string> {
    const [, group = ''] = await this.until(() => pattern.exec(this.#errors) ?? undefined, 'too early');
    return group;
  }

  get port(): number {
    return this.#port;
  }

  /** Waits until it listens. */
  async listening(): Promise<this> {
    this.#port = await this.findPort();
    return this;
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for its end. */
  ended(): Promise<ProcessEnd> {
    return this.#end;
  }

  /** Stops it in good order, and otherwise where that takes too long. */
  async stop(): Promise<ProcessEnd> {
    this.signal('SIGTERM');
    const late = setTimeout(() => {
      this.signal('SIGKILL');
    }, STOP_TIMEOUT_MS);
    const end = await this.#end;
    clearTimeout(late);
    return end;
  }

  protected async findPort(): Promise<number> {
    // Servers of earlier builds, which benches compare, begin the line in another way.
    return Number(await this.says(/(?:Listening|listens) on http:\/\/\S+?:(\d+)\n/));
  }

  /**
   * Waits until something can be found in what it has written so far.
   *
   * @throws Error when it ends before, or does not write it within two minutes
   */
  protected async until<T>(find: () => T | undefined, otherwise: string): Promise<T> {
    const late = AbortSignal.timeout(WRITE_TIMEOUT_MS);
    const wake = (): void => {
      this.#wake();
    };
    late.addEventListener('abort', wake);
    try {
      for (;;) {
        const found = find();
        if (found !== undefined) return found;
        if (this.#ended) throw new Error(`The server ended ${otherwise}: ${this.#errors}`);
        if (late.aborted)
          throw new Error(`The server did not write what was expected. It wrote: ${this.#errors}`);
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    } finally {
      late.removeEventListener('abort', wake);
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

export type LogLine = Readonly<Record<string, unknown>>;

/** Returns a test for lines whose message begins so and that have these fields. */
export function matchesLine(message: string, fields: LogLine): (line: LogLine) => boolean {
  return (line) =>
    String(line['msg']).startsWith(message) &&
    Object.entries(fields).every(([name, value]) => line[name] === value);
}

/** Returns the lines that report a reload of settings and files. */
export function reloadsIn(lines: readonly LogLine[]): readonly LogLine[] {
  return lines.filter(({ msg }) => msg === 'reloaded settings and files');
}

export interface ServiceOptions {
  /** Settings beside those that keep tests apart: free ports and a data folder of the test's own. */
  readonly settings?: Readonly<Record<string, string>>;
  /** How to speak TLS with it; undefined where it does not. */
  readonly tls?: ConnectionOptions;
}

/** The compiled service, with its log. */
export class ServiceProcess extends ServerProcess {
  readonly #lines: readonly LogLine[];
  readonly #output: readonly string[];
  readonly #tls: ConnectionOptions | undefined;
  #adminPort = 0;
  #plainPort = 0;

  /** @param folder - its working directory, without a .env; the data folder lies in it */
  constructor(folder: string, { settings = {}, tls }: ServiceOptions = {}) {
    const lines: LogLine[] = [];
    const output: string[] = [];
    super(PROGRAM, {
      folder,
      args: ['start'],
      environment: { PORT: '0', ADMIN_PORT: '0', DATA_DIR: join(folder, 'data'), ...settings },
      onLogLine: (line) => {
        output.push(line);
        lines.push(JSON.parse(line) as LogLine); // Each line of the log is an object.
      },
    });
    this.#lines = lines;
    this.#output = output;
    this.#tls = tls;
  }

  /** Returns what it wrote to standard output: the log. */
  get output(): string {
    return this.#output.join('\n');
  }

  get adminPort(): number {
    return this.#adminPort;
  }

  /** The one without TLS beside the one with it. */
  get plainPort(): number {
    return this.#plainPort;
  }

  /** Waits for the first log line whose message begins so and that has these fields. */
  async line(message: string, fields: LogLine = {}): Promise<LogLine> {
    return this.lines((lines) => lines.find(matchesLine(message, fields)), `without a line "${message}"`);
  }

  /** Waits until the log's lines so far hold what is looked for, and returns that. */
  lines<T>(find: (lines: readonly LogLine[]) => T | undefined, otherwise: string): Promise<T> {
    return this.until(() => find(this.#lines), otherwise);
  }

  /** Has it read settings and files again, waits until it has, and returns the line that says so. */
  async reload(): Promise<LogLine> {
    const before = reloadsIn(this.#lines).length;
    this.signal('SIGHUP');
    return this.lines((lines) => reloadsIn(lines)[before], 'before it had read its files again');
  }

  /** Sends one request and returns its answer. */
  ask(request: RawRequest): Promise<RawResponse> {
    return exchange(this.port, request, this.#tls);
  }

  /** Sends a request to the operator's port. */
  askAdmin(request: RawRequest): Promise<RawResponse> {
    return exchange(this.#adminPort, request);
  }

  /** From the log: people are shown the public address, which may have another port. */
  protected override async findPort(): Promise<number> {
    const { port, plainPort, adminAddress } = await this.line('listening');
    this.#plainPort = Number(plainPort);
    this.#adminPort = Number(/\d+$/.exec(String(adminAddress))?.[0]);
    return Number(port);
  }
}
