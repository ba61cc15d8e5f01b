import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import { exchange, type RawRequest, type RawResponse } from './raw-http';
import { packageRoot } from './wsdl-files';

export type LogLine = Readonly<Record<string, unknown>>;

export interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface ServiceOptions {
  /** Settings beside those that keep tests apart: free ports and a data folder of the test's own. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Folder that holds `dist/`; the package's unless given. */
  readonly root?: string;
}

/** Services that run: none outlives the process that started it, however that one ends. */
const RUNNING = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of RUNNING) child.kill('SIGKILL');
});

/** The compiled service as a process of its own. */
export class ServiceProcess {
  readonly #child: ChildProcess;
  readonly #lines: LogLine[] = [];
  readonly #end: Promise<ProcessEnd>;
  #onLine: () => void = () => undefined;
  #output = '';
  #errors = '';
  #ended = false;
  #port = 0;
  #adminPort = 0;

  constructor(folder: string, { settings = {}, root = packageRoot() }: ServiceOptions = {}) {
    this.#child = spawn(process.execPath, [join(root, 'dist', 'main.js')], {
      cwd: folder, // where no .env lies
      env: {
        PATH: process.env['PATH'],
        PORT: '0',
        ADMIN_PORT: '0',
        DATA_DIR: join(folder, 'data'),
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    RUNNING.add(this.#child);
    const { stdout, stderr } = this.#child;
    if (stdout === null || stderr === null) throw new Error('The process has no pipes');
    stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    createInterface(stdout).on('line', (line) => {
      this.#output += `${line}\n`;
      this.#lines.push(JSON.parse(line) as LogLine); // Each line of the log is an object.
      this.#onLine();
    });
    this.#end = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        this.#ended = true;
        RUNNING.delete(this.#child);
        resolve({ code, signal });
        this.#onLine();
      });
    });
  }

  /** What it wrote to standard output: the log. */
  get output(): string {
    return this.#output;
  }

  /** What it wrote to standard error. */
  get errors(): string {
    return this.#errors;
  }

  get port(): number {
    return this.#port;
  }

  get adminPort(): number {
    return this.#adminPort;
  }

  /** Waits until it listens. */
  async listening(): Promise<this> {
    const line = await this.line('listening');
    this.#port = Number(line['port']);
    this.#adminPort = Number(/\d+$/.exec(String(line['adminAddress']))?.[0]);
    return this;
  }

  /** Waits for the first log line whose message begins so and that has these fields. */
  async line(message: string, fields: LogLine = {}): Promise<LogLine> {
    const matches = (line: LogLine): boolean =>
      String(line['msg']).startsWith(message) &&
      Object.entries(fields).every(([name, value]) => line[name] === value);
    return this.lines((lines) => lines.find(matches), `without a line "${message}"`);
  }

  /** Waits until the log's lines so far hold what is looked for, and returns that. */
  async lines<T>(find: (lines: readonly LogLine[]) => T | undefined, otherwise: string): Promise<T> {
    for (;;) {
      const found = find(this.#lines);
      if (found !== undefined) return found;
      if (this.#ended) {
        throw new Error(`The service ended ${otherwise}: ${this.#errors}${this.#output}`);
      }
      await new Promise<void>((resolve) => (this.#onLine = resolve));
    }
  }

  /** Sends one request and returns its answer. */
  ask(request: RawRequest): Promise<RawResponse> {
    return exchange(this.#port, request);
  }

  /** The same on the operator's port. */
  askAdmin(request: RawRequest): Promise<RawResponse> {
    return exchange(this.#adminPort, request);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits for its end. */
  ended(): Promise<ProcessEnd> {
    return this.#end;
  }

  /** Stops it in good order. */
  stop(): Promise<ProcessEnd> {
    this.signal('SIGTERM');
    return this.#end;
  }
}
