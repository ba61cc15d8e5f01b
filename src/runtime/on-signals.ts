import type { ServiceLog } from '../telemetry';
import { onShutdownSignals } from './shutdown-signals';

/** Stops the service in good order at the first signal, at once at the second, and says so in the log. */
export function onSignals(
  log: ServiceLog,
  stop: () => void,
  beforeAbort: () => void = () => undefined,
): void {
  onShutdownSignals({
    stop: (signal) => {
      log.logger.info(
        { signal },
        'finishing the requests in flight, then stopping; the next signal stops at once',
      );
      stop();
    },
    abort: (signal, exitCode) => {
      log.logger.warn({ signal }, 'stopping at once');
      log.flushNow();
      beforeAbort();
      process.exit(exitCode);
    },
  });
}
