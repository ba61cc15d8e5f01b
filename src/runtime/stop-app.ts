import type { App } from '../app';
import type { Config } from '../config';
import type { ServiceLog } from '../telemetry';

/** Part of SHUTDOWN_SECONDS that the requests in flight may take; the rest is for closing what they stood on. */
const SHARE_OF_REQUESTS = 0.8;

/** Ends this process with 1 when SHUTDOWN_SECONDS are over. */
export function endLate(config: Config, log: ServiceLog, beforeEnd: () => void = () => undefined): void {
  setTimeout(() => {
    log.logger.error('not stopped within SHUTDOWN_SECONDS');
    log.flushNow();
    beforeEnd();
    process.exit(1);
  }, config.SHUTDOWN_SECONDS * 1000).unref();
}

/** Answers what has begun, closes everything, and ends the process. */
export async function stopApp(app: App, config: Config, log: ServiceLog): Promise<never> {
  endLate(config, log);
  app.health.drain();
  const inFlightMs = config.SHUTDOWN_SECONDS * 1000 * SHARE_OF_REQUESTS;
  const [cut] = await Promise.all([app.endpoints.drain(inFlightMs), app.delivery.stop(inFlightMs)]);
  if (cut) log.logger.warn('requests that had not ended in time were cut off');
  await app.admin.drain(0);
  await app.close();
  log.logger.info('stopped');
  await log.flush();
  process.exit(0);
}
