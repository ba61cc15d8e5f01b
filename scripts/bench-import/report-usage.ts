import { writeSync } from 'node:fs';

/** Loaded into the import command before its own code: tells what the process used, on its way out. */
const USAGE_FD = 3;

process.once('exit', () => {
  writeSync(USAGE_FD, JSON.stringify(process.resourceUsage()));
});
