import cluster from 'node:cluster';
import { once } from 'node:events';
import { inspect } from 'node:util';

import {
  type Config,
  readSettings,
  type ReloadFailure,
  Settings,
  SettingsInUse,
  timeLimits,
} from '../config';
import { poolSizeOf } from '../support/database-url';
import { errorWord, fatalMessage, type Finding, OperatorError } from '../support/errors';
import { makePrivateFolder } from '../support/private-files';
import { tryToWriteIn, writeAdvice } from '../support/replace-file';
import { openLog, type ServiceLog, type MetricsSnapshot, PooledMetrics } from '../telemetry';
import { endWithParent } from './parent-watch';
import { preflight } from './preflight';
import {
  AlreadyReportedError,
  childKind,
  parentPid,
  type OfSettings,
  ProcessPool,
  Round,
} from './process-pool';
import { Reloader, reloadAll } from './reload';
import { runAlone, runChild } from './run-app';
import { openServiceStore } from './database';
import { ActionTrail } from '../admin/login/actions';
import { AdminLogin } from '../admin/login/admin-login';
import { folderFindings } from '../admin/reports/checks';
import { openNodeServices } from './admin-port';
import { ALL_FEATURES } from '../features/feature';
import { announceStart } from './announce-start';
import { ServiceManager } from './service-manager';
import { endLate, onSignals, type Start } from './start';

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
  await runService(settings, openLog(settings.config.LOG_LEVEL));
}

/** Time limit for a process's metrics; a busier process is counted with its previous ones. */
const ANSWER_WITHIN_MS = 1000;
/** Number of database connections for the console. */
const OWN_CONNECTIONS = 2;

/**
 * Starts the processes that do the work, and supervises them. One of them delivers, which preserves the order
 * and limits of messages; this process does nothing that could crash it.
 *
 * @throws OperatorError or AlreadyReportedError
 */
async function runPrimary({ settings, inUse, config, log, reloader }: Start): Promise<void> {
  const store = await openServiceStore(config, log.logger, { poolSize: OWN_CONNECTIONS });

  const reloads = new Round<readonly ReloadFailure[]>();
  const snapshots = new Round<MetricsSnapshot>(ANSWER_WITHIN_MS);
  const pool = new ProcessPool(log.logger, () => inUse.texts, {
    onMessage: (child, message) => {
      switch (message.kind) {
        case 'metrics':
          metrics.remember(child.id, message.snapshot);
          snapshots.take(child.id, message.snapshot);
          break;
        case 'reloaded':
          reloads.take(child.id, message.wrong);
          break;
        case 'new-message':
          for (const worker of pool.children('delivery')) worker.send(message);
      }
    },
    onLines: (lines) => {
      log.writeLines(lines);
    },
    onEnd: (child, replaced) => {
      snapshots.ended(child.id);
      reloads.ended(child.id);
      metrics.forget(child.id);
      if (replaced) metrics.countReplaced();
    },
  });
  const metrics = new PooledMetrics(async () => {
    await snapshots.ask(pool.children(), { kind: 'send-metrics' });
  });

  const trail = new ActionTrail(store, log.logger);
  const login = new AdminLogin(config, log.logger, trail);
  const node = await openNodeServices({
    ...{ store, settings, config, metrics, registry: metrics.own, login, log },
    reload: () => reloader.request('command'),
    showAlerts: (alerts) => {
      for (const child of pool.children()) child.send({ kind: 'alerts', alerts });
    },
  });
  // The first one starts alone: a problem would prevent all from starting, and must be reported once.
  const served = await pool.start('web');
  const others = Array.from({ length: config.PROCESSES - 1 }, () => pool.start('web'));
  if (config.ROLE === 'all') others.push(pool.start('delivery'));
  await Promise.all(others);
  node.start();

  const kill = (): void => {
    pool.kill();
  };
  const manager = new ServiceManager(process.env, log.logger);
  // Before anyone is invited to press Ctrl-C.
  onSignals(log, () => void stop(), kill);
  await announceStart(served, node.adminPort, store, config, log);
  void manager.ready();
  reloader.serve({
    manager,
    trail,
    reload: async () => {
      const own = reloadAll(node.reloadables, inUse.config);
      pool.reloadStarting();
      const theirs = await reloads.ask(pool.children(), { kind: 'reload', texts: inUse.texts });
      return withoutRepetitions([...own, ...theirs.flat()]);
    },
  });

  async function stop(): Promise<void> {
    void manager.stopping(timeLimits(config).stopMs);
    endLate(config, log, kill);
    await pool.stop();
    await node.stop();
    await store.close();
    log.logger.info('all processes stopped');
    await log.flush();
    process.exit(0);
  }
}

/** Removes equal problems reported by several processes. */
function withoutRepetitions(wrong: readonly ReloadFailure[]): readonly ReloadFailure[] {
  return [...new Map(wrong.map((each) => [JSON.stringify(each), each])).values()];
}
