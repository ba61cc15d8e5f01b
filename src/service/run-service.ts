import cluster from 'node:cluster';
import { accessSync, constants } from 'node:fs';

import { readSettings, type Settings, SettingsInUse } from '../config';
import { fatalMessage, type Finding, OperatorError } from '../support/errors';
import { preflight } from './preflight';
import { makePrivateFolder } from '../support/private-files';
import type { ServiceLog } from '../telemetry';
import { withinDescriptors } from './descriptors';
import { childKind } from './messages';
import { ReloadSignal } from './reload';
import { runAlone, runChild } from './run-app';
import { runPrimary } from './run-primary';

/**
 * Runs what this process is of the service, and returns when that has started.
 *
 * @throws OperatorError where it cannot start, AlreadyReportedError where that is said already
 */
export async function runService(settings: Settings, log: ServiceLog): Promise<void> {
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
    log.logger.fatal({ err: error, origin }, 'an error that nobody handled ends the service');
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
    throw new OperatorError(`The data folder ${path} (DATA_DIR) cannot be written. ${String(cause)}`, {
      cause,
    });
  }
}
