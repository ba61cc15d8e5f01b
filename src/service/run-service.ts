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
import { ReloadSignal } from './reload';
import { runAlone, runChild } from './run-app';
import { runPrimary } from './run-primary';

/** Descriptors for all that is no caller's connection: the database, providers, the log, the operator's port. */
const OWN_DESCRIPTORS = 96;
/** The database takes more of them. */
const FEWEST_CONNECTIONS = 16;

/** Each caller may need one more, to the old server. */
const WITH_OLD_SERVER = 2;

/** Lowers MAX_CONNECTIONS to what the system lets this process open, and says so. */
function withinDescriptors(config: Config, log: ServiceLog): Config {
  const descriptors = mostDescriptors();
  const left = descriptors - OWN_DESCRIPTORS - config.DATABASE_POOL_SIZE;
  const each = config.OLD_URL === undefined ? 1 : WITH_OLD_SERVER;
  const room = Math.max(FEWEST_CONNECTIONS, Math.floor(left / each));
  if (room >= config.MAX_CONNECTIONS) return config;
  if (!cluster.isWorker) {
    log.logger.warn(
      { descriptors, connections: room },
      'the open file limit is too low for MAX_CONNECTIONS, so fewer connections are possible; raise it (ulimit -n)',
    );
  }
  return { ...config, MAX_CONNECTIONS: room };
}

/** Infinity where there is no limit, or none that is known. */
function mostDescriptors(): number {
  // What the typings call an object is the report; not every system has such limits.
  const report = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const limit = Number(report.userLimits?.open_files?.soft);
  return Number.isNaN(limit) ? Infinity : limit;
}

/** Settings by which this process goes: those of the primary process, or where this is it, as they are given. */
async function settingsOfProcess(): Promise<Settings> {
  if (!cluster.isWorker) return readSettings(process.env);
  // The first message of all; what comes before somebody listens is lost.
  const [{ texts }] = (await once(process, 'message')) as [OfSettings];
  return new Settings(texts);
}

/**
 * Runs what this process is of the service, and returns when that has started.
 *
 * @throws OperatorError where it cannot start, AlreadyReportedError where that is said already
 */
async function runService(settings: Settings, log: ServiceLog): Promise<void> {
  endOnUncaughtErrors(log);
  const config = withinDescriptors(settings.config, log);
  prepareDataFolder(config.DATA_DIR);
  if (cluster.isWorker) return runChild(childKind(), config, log);
  const reloadSignal = new ReloadSignal(log);
  report(preflight(settings), log);
  // What only delivers needs one process: the messages under way at once are its settings' matter.
  const inUse = new SettingsInUse(settings, () => readSettings(process.env));
  const start = { settings, inUse, config, log, reloadSignal };
  if (config.PROCESSES > 1 && config.ROLE !== 'worker') return runPrimary(start);
  return runAlone(start);
}

function endOnUncaughtErrors(log: ServiceLog): void {
  // Rejections that nobody handles arrive here too.
  process.on('uncaughtException', (error, origin) => {
    log.logger.fatal({ err: error, origin }, 'unhandled error, stopping the service');
    log.flushNow();
    process.exit(1);
  });
}

/**
 * One line in the log for each thing that the operator should know.
 *
 * @throws OperatorError where one of them keeps the service from working
 */
function report(findings: readonly Finding[], { logger }: ServiceLog): void {
  for (const { level, message, fields = {} } of findings)
    if (level !== 'fatal') logger[level](fields, message);
  const fatal = fatalMessage(findings);
  if (fatal !== undefined) throw new OperatorError(fatal);
}

/**
 * Makes the folder that the service writes into, with the folders above it.
 *
 * @throws OperatorError where it cannot be made or written
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

/** Starts what this process is of the service; ends the process where that fails, after one line that says why. */
export function startService(): void {
  start().catch((error: unknown) => {
    if (error instanceof AlreadyReportedError) process.exit(1);
    // Anything else is a mistake in the program, and whoever mends it needs the stack.
    const shown = error instanceof OperatorError ? error.message : inspect(error);
    console.error(`Error: the service did not start. ${shown}`);
    process.exit(1);
  });
}

async function start(): Promise<void> {
  const settings = await settingsOfProcess();
  await runService(settings, openLog(settings.config.LOG_LEVEL));
}
