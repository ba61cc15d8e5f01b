import cluster from 'node:cluster';
import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { inspect } from 'node:util';

import { type Config, readSettings, Settings, SettingsInUse } from '../config';
import { fatalMessage, type Finding, OperatorError } from '../support/errors';
import { makePrivateFolder } from '../support/private-files';
import { openLog, type ServiceLog } from '../telemetry';
import { preflight } from './preflight';
import { AlreadyReportedError, childKind, type OfSettings } from './process-pool';
import { Reloader } from './reload';
import { runAlone, runChild } from './run-app';
import { runPrimary } from './run-primary';

/** Descriptors for everything but callers' connections: the database, providers, the log, the console. */
const OWN_DESCRIPTORS = 96;
/** The database needs more of them. */
const MIN_CONNECTIONS = 16;

/** Each caller may need another one, to the old server. */
const WITH_OLD_SERVER = 2;

/** Lowers MAX_CONNECTIONS to what the system allows this process to open, with a warning. */
function withinDescriptors(config: Config, log: ServiceLog): Config {
  const descriptors = maxDescriptors();
  const left = descriptors - OWN_DESCRIPTORS - config.DATABASE_POOL_SIZE;
  const each = config.OLD_URL === undefined ? 1 : WITH_OLD_SERVER;
  const room = Math.max(MIN_CONNECTIONS, Math.floor(left / each));
  if (room >= config.MAX_CONNECTIONS) return config;
  if (!cluster.isWorker) {
    log.logger.warn(
      { descriptors, connections: room },
      'the open file limit is too low for MAX_CONNECTIONS, so fewer connections are possible; raise it (ulimit -n)',
    );
  }
  return { ...config, MAX_CONNECTIONS: room };
}

/** Returns the maximum number of descriptors; infinity if there is no known limit. */
function maxDescriptors(): number {
  // What the typings call an object is the report; not every system has such limits.
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const limit = Number(report.userLimits?.open_files?.soft);
  return Number.isNaN(limit) ? Infinity : limit;
}

/** Returns this process's settings: from the primary process, or for the primary itself, as configured. */
async function settingsOfProcess(): Promise<Settings> {
  if (!cluster.isWorker) return readSettings(process.env);
  // The first message; later listeners would miss it.
  const [{ texts }] = (await once(process, 'message')) as [OfSettings];
  return new Settings(texts);
}

/**
 * Runs this process's part of the service, and returns when it has started.
 *
 * @throws OperatorError if it cannot start, AlreadyReportedError if that has been reported
 */
async function runService(settings: Settings, log: ServiceLog): Promise<void> {
  endOnUncaughtErrors(log);
  const config = withinDescriptors(settings.config, log);
  prepareDataFolder(config.DATA_DIR);
  if (cluster.isWorker) return runChild(childKind(), config, log);
  const inUse = new SettingsInUse(settings, () => readSettings(process.env));
  const reloader = new Reloader(inUse, log);
  if (config.RELOAD_ON_CHANGE) void reloader.watch();
  report(preflight(settings), log);
  const start = { settings, inUse, config, log, reloader };
  // A worker needs one process: settings decide how many messages it sends at once.
  if (config.PROCESSES > 1 && config.ROLE !== 'worker') return runPrimary(start);
  return runAlone(start);
}

function endOnUncaughtErrors(log: ServiceLog): void {
  // Includes unhandled rejections.
  process.on('uncaughtException', (error, origin) => {
    log.logger.fatal({ err: error, origin }, 'unhandled error, stopping the service');
    log.flushNow();
    process.exit(1);
  });
}

/**
 * Logs the findings, one line each.
 *
 * @throws OperatorError if one of them prevents the service from working
 */
function report(findings: readonly Finding[], { logger }: ServiceLog): void {
  for (const { level, message, fields = {} } of findings)
    if (level !== 'fatal') logger[level](fields, message);
  const fatal = fatalMessage(findings);
  if (fatal !== undefined) throw new OperatorError(fatal);
}

/**
 * Creates the data folder, with the folders above it.
 *
 * @throws OperatorError if it cannot be created or written
 */
export function prepareDataFolder(path: string): void {
  try {
    makePrivateFolder(path);
    accessSync(path, constants.W_OK | constants.X_OK);
  } catch (cause) {
    throw new OperatorError(`The data folder ${path} (DATA_DIR) is not writable. ${String(cause)}`, {
      cause,
    });
  }
}

/** Starts this process's part of the service; if that fails, prints one line and ends the process. */
export function startService(): void {
  start().catch((error: unknown) => {
    if (error instanceof AlreadyReportedError) process.exit(1);
    // Any other error is a bug in the program, and fixing it needs the stack.
    const shown = error instanceof OperatorError ? error.message : inspect(error);
    console.error(`Error: the service did not start. ${shown}`);
    process.exit(1);
  });
}

async function start(): Promise<void> {
  const settings = await settingsOfProcess();
  await runService(settings, openLog(settings.config.LOG_LEVEL));
}
