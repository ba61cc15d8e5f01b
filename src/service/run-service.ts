import cluster from 'node:cluster';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';

import { type Config, readSettings, Settings, SettingsInUse } from '../config';
import { poolSizeOf } from '../support/database-url';
import { errorWord, fatalMessage, type Finding, OperatorError, tryTo } from '../support/errors';
import { makePrivateFolder } from '../support/private-files';
import { tryToWriteIn, writeAdvice } from '../support/replace-file';
import { folderFindings } from '../admin/reports/checks';
import { ALL_FEATURES } from '../features/feature';
import { openLog, type ServiceLog } from '../telemetry';
import { preflight } from './preflight';
import { endWithParent } from './processes/parent-watch';
import { runPrimary } from './processes/primary';
import { AlreadyReportedError, childKind, type OfSettings, parentPid } from './processes/process-pool';
import { Reloader } from './reload';
import { runAlone, runChild } from './run-app';

/** Descriptors for everything but callers' connections: the database, providers, the log, the console. */
const OWN_DESCRIPTORS = 96;
/** The database needs more of them. */
const MIN_CONNECTIONS = 16;

/** Lowers MAX_CONNECTIONS to what the system allows this process to open, with a warning. */
function withinDescriptors(config: Config, log: ServiceLog): Config {
  const descriptors = maxDescriptors();
  const left = descriptors - OWN_DESCRIPTORS - poolSizeOf(config.DATABASE_URL);
  const others = ALL_FEATURES.map(({ connectionsPerCaller }) => connectionsPerCaller?.(config) ?? 0);
  const each = others.reduce((sum, other) => sum + other, 1);
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

/**
 * Returns the maximum number of descriptors; infinity if there is no known limit. Linux alone has the file;
 * Windows has no limit.
 */
function maxDescriptors(): number {
  const limits = tryTo(() => readFileSync('/proc/self/limits', 'utf8')) ?? '';
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? Infinity : Number(soft);
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
export async function runService(settings: Settings, log: ServiceLog): Promise<void> {
  endOnUncaughtErrors(log);
  const config = withinDescriptors(settings.config, log);
  prepareDataFolder(config.DATA_DIR);
  if (cluster.isWorker) {
    endWithParent(parentPid());
    return runChild(childKind(), config, log);
  }
  const inUse = new SettingsInUse(settings, () => readSettings(process.env));
  const reloader = new Reloader(inUse, log);
  if (config.RELOAD_ON_CHANGE) void reloader.watch();
  report([...(await preflight(settings)), ...folderFindings(config)], log);
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

/** @throws OperatorError if one of them prevents the service from working */
function report(findings: readonly Finding[], { logger }: ServiceLog): void {
  for (const { level, message, fields = {} } of findings)
    if (level !== 'fatal') logger[level](fields, message);
  const fatal = fatalMessage(findings);
  if (fatal !== undefined) throw new OperatorError(fatal);
}

/** @throws OperatorError if it cannot be created or written */
export function prepareDataFolder(path: string): void {
  try {
    makePrivateFolder(path);
    tryToWriteIn(path);
  } catch (cause) {
    const message = `The data folder ${path} (DATA_DIR) is not writable. ${String(cause)}`;
    throw new OperatorError(`${message}.${writeAdvice(errorWord(cause))}`, { cause });
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
  const log = openLog(settings.config.LOG_LEVEL);
  await runService(settings, log).catch((error: unknown) => {
    log.flushNow();
    throw error;
  });
}
