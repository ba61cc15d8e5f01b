import { inspect } from 'node:util';

import { type App, createApp } from './app';
import { ContractError } from './asmx';
import { type Config, loadConfig, readEnvFile, SettingError } from './config';
import { DeliverySettingError } from './delivery';
import { greeting, onShutdownSignals, prepareDataFolder, StartError } from './lifecycle';
import { FolderError, StoreError } from './store';
import { openLog, type ServiceLog } from './telemetry';

/** What the operator can mend; the message of each is one line that says how. */
const OPERATORS_ERRORS = [
  SettingError,
  StartError,
  StoreError,
  FolderError,
  ContractError,
  DeliverySettingError,
] as const;

/** Part of SHUTDOWN_SECONDS that the requests in flight may take; the rest is for closing what they stood on. */
const SHARE_OF_REQUESTS = 0.8;

async function main(): Promise<void> {
  const config = loadConfig({ ...readEnvFile('.env'), ...process.env });
  const log = openLog(config.LOG_LEVEL);
  endOnUncaughtErrors(log);

  prepareDataFolder(config.DATA_DIR);
  const app = await createApp(config, log.logger);
  await start(app, config, log);
  app.delivery.start();
  onShutdownSignals({
    stop: (signal) => {
      log.logger.info(
        { signal },
        'finishing the requests in flight, then stopping; the next signal stops at once',
      );
      void stop(app, config, log);
    },
    abort: (signal, exitCode) => {
      log.logger.warn({ signal }, 'stopping at once');
      log.flushNow();
      process.exit(exitCode);
    },
  });
}

async function start(app: App, config: Config, log: ServiceLog): Promise<void> {
  const adminPort =
    config.ADMIN_PORT === undefined
      ? undefined
      : await app.admin.listen({ port: config.ADMIN_PORT, host: config.ADMIN_HOST }, 'ADMIN_PORT');
  const port = await app.endpoints.listen({ port: config.PORT, host: config.HOST }, 'PORT');

  const address = config.BASE_URL ?? httpAddress(config.HOST, port);
  const adminAddress = adminPort === undefined ? undefined : httpAddress(config.ADMIN_HOST, adminPort);
  const endpoints = app.services.map(({ path }) => `${address}${path}`);
  log.logger.info({ port, endpoints, adminAddress }, 'listening; SIGTERM or SIGINT stops the service');
  // For people, and therefore not between the log's lines on standard output.
  const { services, example } = app;
  console.error(greeting({ services, address, namespace: config.SERVICE_NAMESPACE, example, adminAddress }));
}

async function stop(app: App, config: Config, log: ServiceLog): Promise<void> {
  const withinMs = config.SHUTDOWN_SECONDS * 1000;
  setTimeout(() => {
    log.logger.error('not stopped within SHUTDOWN_SECONDS');
    log.flushNow();
    process.exit(1);
  }, withinMs).unref();

  app.health.drain();
  const inFlightMs = withinMs * SHARE_OF_REQUESTS;
  const [cut] = await Promise.all([app.endpoints.drain(inFlightMs), app.delivery.stop(inFlightMs)]);
  if (cut) log.logger.warn('requests that had not ended in time were cut off');
  await app.admin.drain(0);
  await app.close();
  log.logger.info('stopped');
  await log.flush();
  process.exit(0);
}

function endOnUncaughtErrors(log: ServiceLog): void {
  // Rejections that nobody handles arrive here too.
  process.on('uncaughtException', (error, origin) => {
    log.logger.fatal({ err: error, origin }, 'an error that nobody handled ends the service');
    log.flushNow();
    process.exit(1);
  });
}

function httpAddress(host: string | undefined, port: number): string {
  const shown = host === undefined ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${String(port)}`;
}

main().catch((error: unknown) => {
  const forOperator = error instanceof Error && OPERATORS_ERRORS.some((kind) => error instanceof kind);
  // Anything else is a mistake in the program, and whoever mends it needs the stack.
  console.error(`The service did not start: ${forOperator ? error.message : inspect(error)}`);
  process.exit(1);
});
