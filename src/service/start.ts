import { constants } from 'node:os';

import type { Config, Settings, SettingsInUse } from '../config';
import type { ServiceLog } from '../telemetry';
import type { ReloadSignal } from './reload';

/** With what the process starts that is not another's child. */
export interface Start {
  readonly settings: Settings;
  readonly inUse: SettingsInUse;
  /** Their values, within what the system lets this process do. */
  readonly config: Config;
  readonly log: ServiceLog;
  readonly reloadSignal: ReloadSignal;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * One Ctrl-C reaches the process twice under `npm start`: the terminal signals the whole process group, and npm
 * hands its own signal on to its child. What comes this soon after the first signal is that same one.
 */
const SAME_SIGNAL_MS = 500;

/**
 * From now on the first SIGTERM or SIGINT stops the service in good order, the second at once, and the log says so.
 *
 * @param beforeAbort - what is to be done before this process ends at the second signal
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
        // What a shell shows for a process that the signal ended.
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
}

/**
 * A terminal's Ctrl-C and some supervisors signal every process, and the order to stop, or to read files again, is the
 * primary's. When that is gone, node:cluster ends this process.
 */
export function ignoreSignals(): void {
  for (const signal of [...SIGNALS, 'SIGHUP'] as const) process.on(signal, () => undefined);
}

/** Ends this process with 1 when SHUTDOWN_SECONDS are over. */
export function endLate(config: Config, log: ServiceLog, beforeEnd: () => void = () => undefined): void {
  setTimeout(() => {
    log.logger.error('not stopped within SHUTDOWN_SECONDS');
    log.flushNow();
    beforeEnd();
    process.exit(1);
  }, config.SHUTDOWN_SECONDS * 1000).unref();
}
