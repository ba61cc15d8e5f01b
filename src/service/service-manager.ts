import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import type { Logger } from 'pino';

const run = promisify(execFile);

/** Time limit for notifying systemd, in milliseconds. */
const TOLD_WITHIN_MS = 10_000;
/** Time that a stop may take beyond the service's own limit. */
const SPARE_MS = 5000;
/**
 * Program of systemd that sends notifications: systemd listens on a Unix datagram socket, which Node does not
 * support.
 */
const NOTIFIER = 'systemd-notify';

/**
 * Notifies systemd of the service's state if its unit asks for that (Type=notify, WatchdogSec).
 *
 * Each notification starts a program that runs for some milliseconds: at start, stop and reload, and for the
 * watchdog twice in its interval.
 */
export class ServiceManager {
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #logger: Logger;
  #watchdog: NodeJS.Timeout | undefined;
  /** Serializes notifications: ready must follow reloading. */
  #notifications: Promise<void> = Promise.resolve();

  /** @param environment - of this process, as set by systemd */
  constructor(environment: Readonly<Record<string, string | undefined>>, logger: Logger) {
    this.#environment = environment;
    this.#logger = logger;
  }

  /**
   * Reports that the whole service is listening. From now on the watchdog is notified as long as the event
   * loop turns.
   */
  ready(): Promise<void> {
    const notified = this.#notify('READY=1');
    const { WATCHDOG_USEC, WATCHDOG_PID = String(process.pid) } = this.#environment;
    const microseconds = Number(WATCHDOG_USEC ?? 0);
    // With another number, the watchdog is for another process, from which this one inherited the
    // environment.
    if (microseconds > 0 && WATCHDOG_PID === String(process.pid) && this.#watchdog === undefined) {
      this.#watchdog = setInterval(() => void this.#notify('WATCHDOG=1'), microseconds / 1000 / 2);
      this.#watchdog.unref();
    }
    return notified;
  }

  /** Reports a reload in progress; `ready` ends it. */
  reloading(): Promise<void> {
    // The clock of CLOCK_MONOTONIC, which systemd looks at.
    const microseconds = process.hrtime.bigint() / 1000n;
    return this.#notify('RELOADING=1', `MONOTONIC_USEC=${String(microseconds)}`);
  }

  /** @param withinSeconds - time after which the service ends itself; systemd waits a little longer */
  stopping(withinMs: number): Promise<void> {
    const microseconds = (withinMs + SPARE_MS) * 1000;
    return this.#notify('STOPPING=1', `EXTEND_TIMEOUT_USEC=${String(microseconds)}`);
  }

  #notify(...assignments: readonly string[]): Promise<void> {
    if (this.#environment['NOTIFY_SOCKET'] === undefined) return this.#notifications;
    this.#notifications = this.#notifications.then(async () => {
      try {
        await run(NOTIFIER, assignments, { env: this.#environment, timeout: TOLD_WITHIN_MS });
      } catch (error) {
        this.#logger.error({ err: error, assignments }, `${NOTIFIER} failed; systemd was not notified`);
      }
    });
    return this.#notifications;
  }
}
