import { constants } from 'node:os';

import { type Config, type Settings, type SettingsInUse, timeLimits } from '../config';
import type { ServiceLog } from '../telemetry';
import type { Reloader } from './reload';

/** Everything that a process other than a child starts with. */
export interface Start {
  readonly settings: Settings;
  readonly inUse: SettingsInUse;
  /** Values of the settings, adapted to the system's limits for this process. */
  readonly config: Config;
  readonly log: ServiceLog;
  readonly reloader: Reloader;
}

/** Windows sends SIGBREAK on Ctrl-Break; other systems have no such signal. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGBREAK'] as const;

/**
 * Under `npm start` one Ctrl-C reaches the process twice: the terminal signals the whole process group, and
 * npm forwards its own signal. A second signal this soon after the first is the same one.
 */
const SAME_SIGNAL_MS = 500;

/**
 * From now on the first of these signals stops the service gracefully and the second immediately, which is
 * logged.
 *
 * @param beforeAbort - called before the second signal ends this process
 */
export function onSignals(
  log: ServiceLog,
  stop: () => void,
  beforeAbort: () => void = () => undefined,
): void {
  let firstAt: number | undefined;
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      const now = performance.now();
      if (firstAt === undefined) {
        firstAt = now;
        log.logger.info({ signal }, 'stopping after the running requests; a second signal stops immediately');
        stop();
      } else if (now - firstAt >= SAME_SIGNAL_MS) {
        log.logger.warn({ signal }, 'stopping immediately');
        log.flushNow();
        beforeAbort();
        // The code that a shell shows for a process ended by this signal.
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
}

/**
 * Ignores signals, which a terminal's Ctrl-C and some supervisors send to every process: the primary process
 * decides about stopping and reloading. When it is gone, node:cluster ends this process, or `endWithParent`
 * if it is busy.
 */
export function ignoreSignals(): void {
  for (const signal of [...SIGNALS, 'SIGHUP'] as const) process.on(signal, () => undefined);
}

/** Ends this process with code 1 when the time for a stop is over. */
export function endLate(config: Config, log: ServiceLog, beforeEnd: () => void = () => undefined): void {
  const { stopMs } = timeLimits(config);
  setTimeout(() => {
    log.logger.error({ seconds: stopMs / 1000 }, 'not stopped in time');
    log.flushNow();
    beforeEnd();
    process.exit(1);
  }, stopMs).unref();
}
