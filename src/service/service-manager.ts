import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Logger } from 'pino';

const run = promisify(execFile);

/** Longest time that systemd may take to hear one thing. */
const TOLD_WITHIN_MS = 10_000;
/** What a stop may take beyond the time that the service gives itself. */
const SPARE_SECONDS = 5;
/** Node has no datagram sockets of the machine, which is what systemd listens on; this program of systemd's has. */
const NOTIFIER = 'systemd-notify';

/**
 * Tells systemd what becomes of the service, where its unit asks for that (Type=notify, WatchdogSec); nobody elsewhere.
 *
 * Each thing told starts a program of some milliseconds: at start, stop and reload, and for the watchdog twice in its
 * time.
 */
export class ServiceManager {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #logger: Logger;
  #watchdog: NodeJS.Timeout | undefined;
  /** Things are told one after the other: ready comes behind reloading. */
  #told: Promise<void> = Promise.resolve();

  /** @param environment - of this process, as systemd has made it */
  constructor(environment: Readonly<Record<string, string | undefined>>, logger: Logger) {
    this.#environment = environment;
    this.#logger = logger;
  }

  /** All of the service listens. From now on the watchdog hears that this process has turns of its event loop. */
  ready(): Promise<void> {
    const told = this.#tell('READY=1');
    const { WATCHDOG_USEC, WATCHDOG_PID = String(process.pid) } = this.#environment;
    const microseconds = Number(WATCHDOG_USEC ?? 0);
    // Another number: the watchdog waits for another process, whose environment this one has inherited.
    if (microseconds > 0 && WATCHDOG_PID === String(process.pid) && this.#watchdog === undefined) {
      this.#watchdog = setInterval(() => void this.#tell('WATCHDOG=1'), microseconds / 1000 / 2);
      this.#watchdog.unref();
    }
    return told;
  }

  /** Files are read again; `ready` says when that is done. */
  reloading(): Promise<void> {
    const microseconds = process.hrtime.bigint() / 1000n; // The clock of CLOCK_MONOTONIC, which systemd looks at.
    return this.#tell('RELOADING=1', `MONOTONIC_USEC=${String(microseconds)}`);
  }

  /** @param withinSeconds - after which the service ends itself; systemd waits a little longer */
  stopping(withinSeconds: number): Promise<void> {
    const microseconds = (withinSeconds + SPARE_SECONDS) * 1_000_000;
    return this.#tell('STOPPING=1', `EXTEND_TIMEOUT_USEC=${String(microseconds)}`);
  }

  #tell(...assignments: readonly string[]): Promise<void> {
    if (this.#environment['NOTIFY_SOCKET'] === undefined) return this.#told;
    this.#told = this.#told.then(async () => {
      try {
        await run(NOTIFIER, assignments, { env: this.#environment, timeout: TOLD_WITHIN_MS });
      } catch (error) {
        this.#logger.error({ err: error, assignments }, `${NOTIFIER} failed; systemd was not notified`);
      }
    });
    return this.#told;
  }
}
