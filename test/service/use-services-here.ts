import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';

import { pino } from 'pino';

import {
  exchange,
  type LogLine,
  matchesLine,
  type RawRequest,
  reloadsIn,
  type ServiceOptions,
  type ServiceProcess,
  usageOf,
} from '../../scripts/harness';
import { readSettings } from '../../src/config';
import { runService } from '../../src/service/run-service';
import type { ServiceLog } from '../../src/telemetry';
import { useServices } from './use-services';

type Listener = (...args: readonly unknown[]) => void;
const EVENTS = ['SIGTERM', 'SIGINT', 'SIGBREAK', 'SIGHUP', 'uncaughtException'] as const;

/** The parts of a service as a process that one in this process has. */
export type ServiceHere = Pick<
  ServiceProcess,
  | ('port' | 'adminPort' | 'plainPort' | 'errors' | 'output' | 'pid' | 'usage')
  | ('ask' | 'askAdmin' | 'line' | 'lines' | 'reload' | 'signal' | 'ended' | 'stop')
>;

interface ServiceHereFactory {
  /** A folder of the block's own; the data folder lies in it. */
  readonly folder: string;
  /** Starts the service and waits until it listens. */
  start(options?: Pick<ServiceOptions, 'settings' | 'tls'>): Promise<ServiceHere>;
}

/**
 * Starts services in this process for the tests of the surrounding block, one at a time, and stops what is left after
 * it. Only the ends of a process are replaced: signals, its exit, standard output and standard error.
 */
export function useServicesHere(): ServiceHereFactory {
  const folder = mkdtempSync(join(tmpdir(), 'service-test-'));
  const before = process.cwd();
  let last: RunningService | undefined;
  beforeAll(() => {
    process.chdir(folder); // Its .env is read.
  });
  afterAll(async () => {
    await last?.stop();
    process.chdir(before);
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });
  return {
    folder,
    start: async ({ settings = {}, tls } = {}) => {
      await last?.stop();
      last = new RunningService(
        {
          ...{ PORT: '0', ADMIN_PORT: '0', DATA_DIR: join(folder, 'data'), RELOAD_ON_CHANGE: 'false' },
          ...settings,
        },
        tls,
      );
      return last.started();
    },
  };
}

/** Set by the projects of jest.config.mjs. */
declare const STARTS_PROGRAMS: true;
const startsPrograms = typeof STARTS_PROGRAMS !== 'undefined';

/**
 * Values of PROCESSES, for `describe.each` in files that are named `*.processes.test.ts`: they run in the project "fast"
 * with one process, which is the test's own, and in "programs" with two, as the program starts them.
 */
export const PROCESS_COUNTS: readonly string[] = startsPrograms ? ['2'] : ['1'];

/** Starts services for the tests of the surrounding block as this run's project does. */
export const useServicesEitherWay: () => ServiceHereFactory = startsPrograms ? useServices : useServicesHere;

/** Returns the timers that something starts at once. */
export function timersOf(run: () => void): readonly NodeJS.Timeout[] {
  const timers: NodeJS.Timeout[] = [];
  const { setTimeout: start } = globalThis;
  const spy = jest.spyOn(globalThis, 'setTimeout').mockImplementation((...args: Parameters<typeof start>) => {
    const timer = start(...args);
    timers.push(timer);
    return timer;
  });
  run();
  spy.mockRestore();
  return timers;
}

class RunningService implements ServiceHere {
  port = 0;
  adminPort = 0;
  plainPort = 0;
  errors = '';
  output = '';
  readonly #tls: ConnectionOptions | undefined;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #lines: LogLine[] = [];
  readonly #listeners: (readonly [string, Listener])[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #spies: { mockRestore: () => void }[] = [];
  readonly #end: Promise<{ readonly code: number | null; readonly signal: null }>;
  #onExit: (code: number) => void = () => undefined;
  #hasEnded = false;
  #waiting: (() => void)[] = [];

  constructor(settings: Readonly<Record<string, string>>, tls: ConnectionOptions | undefined) {
    this.#tls = tls;
    this.#settings = settings;
    Object.assign(process.env, settings);
    this.#end = new Promise((resolve) => {
      this.#onExit = (code) => {
        if (!this.#hasEnded) this.#leave();
        resolve({ code, signal: null });
      };
    });
  }

  /** @throws OperatorError as the service itself */
  async started(): Promise<this> {
    this.#spies.push(
      jest.spyOn(console, 'error').mockImplementation((text: unknown) => {
        this.errors += `${String(text)}\n`;
      }),
      jest.spyOn(process, 'exit').mockImplementation((code) => {
        this.#onExit(Number(code));
        return undefined as never;
      }),
    );
    const before = new Map(EVENTS.map((event) => [event, process.listeners(event as 'SIGTERM')]));
    try {
      await runService(readSettings(process.env), this.#log()).finally(() => {
        for (const event of EVENTS)
          for (const listener of process.listeners(event as 'SIGTERM'))
            if (before.get(event)?.includes(listener) === false)
              this.#listeners.push([event, listener as Listener]);
      });
    } catch (error) {
      this.#onExit(1);
      throw error;
    }
    const { port, plainPort, adminAddress } = await this.line('listening');
    this.port = Number(port);
    this.plainPort = Number(plainPort);
    this.adminPort = Number(/\d+$/.exec(String(adminAddress))?.[0]);
    return this;
  }

  get pid() {
    return process.pid;
  }

  /** Returns the usage of this process, to which the tests add theirs. */
  get usage() {
    return usageOf(process.pid);
  }

  signal(signal: NodeJS.Signals): void {
    const timers = timersOf(() => {
      for (const [event, listener] of [...this.#listeners]) if (event === signal) listener(signal);
    });
    for (const timer of timers) {
      // What a process has begun ends with it.
      if (timer.hasRef()) this.#timers.push(timer);
      // The time limit of a stop, which keeps no process alive. Here the stop would go on, and end the tests' process.
      else clearTimeout(timer);
    }
  }

  ended() {
    return this.#end;
  }

  stop() {
    if (!this.#hasEnded) this.signal('SIGTERM');
    return this.#end;
  }

  async line(message: string, fields: LogLine = {}): Promise<LogLine> {
    return this.lines((lines) => lines.find(matchesLine(message, fields)), `without a line "${message}"`);
  }

  async lines<T>(find: (lines: readonly LogLine[]) => T | undefined, otherwise: string): Promise<T> {
    for (;;) {
      const found = find(this.#lines);
      if (found !== undefined) return found;
      if (this.#hasEnded) throw new Error(`The service ended ${otherwise}: ${this.errors}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  async reload(): Promise<LogLine> {
    const before = reloadsIn(this.#lines).length;
    this.signal('SIGHUP');
    return this.lines((lines) => reloadsIn(lines)[before], 'before it had read its files again');
  }

  ask(request: RawRequest) {
    return exchange(this.port, request, this.#tls);
  }

  askAdmin(request: RawRequest) {
    return exchange(this.adminPort, request);
  }

  #log(): ServiceLog {
    const write = (text: string): void => {
      for (const line of text.split('\n').filter(Boolean)) {
        this.output += `${line}\n`;
        this.#lines.push(JSON.parse(line) as LogLine); // Each line of the log is an object.
      }
      this.#wake();
    };
    const destination = new Writable({
      write: (line: Buffer, _encoding, done) => {
        write(line.toString());
        done();
      },
    });
    return {
      logger: pino(
        { level: this.#settings['LOG_LEVEL'] ?? 'info', formatters: { level: (level) => ({ level }) } },
        destination,
      ),
      isTerminal: false,
      writeLine: write,
      writeLines: (lines) => {
        write(lines.toString());
      },
      flush: () => Promise.resolve(),
      flushNow: () => undefined,
    };
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Leaves nothing of the service in this process. */
  #leave(): void {
    this.#hasEnded = true;
    for (const [event, listener] of this.#listeners) process.removeListener(event, listener);
    for (const timer of this.#timers) clearTimeout(timer);
    for (const name of Object.keys(this.#settings)) Reflect.deleteProperty(process.env, name);
    for (const spy of this.#spies) spy.mockRestore();
    this.#wake();
  }
}
