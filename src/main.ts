import { inspect } from 'node:util';

import { OperatorError } from './support/errors';
import { AlreadyReportedError, runService, settingsOfProcess } from './service';
import { openLog } from './telemetry';

async function main(): Promise<void> {
  const settings = await settingsOfProcess();
  await runService(settings, openLog(settings.config.LOG_LEVEL));
}

main().catch((error: unknown) => {
  if (error instanceof AlreadyReportedError) process.exit(1);
  // Anything else is a mistake in the program, and whoever mends it needs the stack.
  const shown = error instanceof OperatorError ? error.message : inspect(error);
  console.error(`The service did not start: ${shown}`);
  process.exit(1);
});
