import cluster from 'node:cluster';
import { inspect } from 'node:util';

import { type Config, loadConfig, readEnvFile } from './config';
import { OperatorError } from './errors';
import { childKind, prepareDataFolder, runAlone, runChild, runPrimary, ToldError } from './runtime';
import { openLog, type ServiceLog } from './telemetry';

async function main(): Promise<void> {
  const config = loadConfig({ ...readEnvFile('.env'), ...process.env });
  const log = openLog(config.LOG_LEVEL);
  endOnUncaughtErrors(log);

  prepareDataFolder(config.DATA_DIR);
  await run(config, log);
}

function run(config: Config, log: ServiceLog): Promise<void> {
  if (cluster.isWorker) return runChild(childKind(), config, log);
  // What only delivers needs one process: the messages under way at once are its settings' matter.
  if (config.PROCESSES > 1 && config.ROLE !== 'worker') return runPrimary(config, log);
  return runAlone(config, log);
}

function endOnUncaughtErrors(log: ServiceLog): void {
  // Rejections that nobody handles arrive here too.
  process.on('uncaughtException', (error, origin) => {
    log.logger.fatal({ err: error, origin }, 'an error that nobody handled ends the service');
    log.flushNow();
    process.exit(1);
  });
}

main().catch((error: unknown) => {
  if (error instanceof ToldError) process.exit(1);
  // Anything else is a mistake in the program, and whoever mends it needs the stack.
  const shown = error instanceof OperatorError ? error.message : inspect(error);
  console.error(`The service did not start: ${shown}`);
  process.exit(1);
});
