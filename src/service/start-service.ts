import { inspect } from 'node:util';

import { OperatorError } from '../support/errors';
import { openLog } from '../telemetry';
import { AlreadyReportedError } from './process-pool';
import { runService, settingsOfProcess } from './run-service';

/** Starts what this process is of the service; ends the process where that fails, after one line that says why. */
export function startService(): void {
  start().catch((error: unknown) => {
    if (error instanceof AlreadyReportedError) process.exit(1);
    // Anything else is a mistake in the program, and whoever mends it needs the stack.
    const shown = error instanceof OperatorError ? error.message : inspect(error);
    console.error(`The service did not start: ${shown}`);
    process.exit(1);
  });
}

async function start(): Promise<void> {
  const settings = await settingsOfProcess();
  await runService(settings, openLog(settings.config.LOG_LEVEL));
}
