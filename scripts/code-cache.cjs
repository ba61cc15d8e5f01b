// Writes what V8 has compiled of dist/service.js once the service is ready: each start with the same version of Node.js
// then takes two thirds of the CPU time. Starts the service with the sample school and a database in memory.
const { mkdtempSync, renameSync, rmSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { setTimeout } = require('node:timers');

/** Settings must not come from whoever builds, but Windows needs some of its variables. */
const OF_SYSTEM = /^(?:PATH|HOME|TE?MP|TMPDIR|SystemRoot)$/i;
// A service that does not start says why, and ends; one that hangs ends here.
setTimeout(() => process.exit(1), 120_000).unref();
const folder = mkdtempSync(join(tmpdir(), 'code-cache-'));
const { CODE_CACHE, codeCacheOf, compileBundle, runBundle } = require('../dist/main.js');

for (const name of Object.keys(process.env)) if (!OF_SYSTEM.test(name)) delete process.env[name];
Object.assign(process.env, {
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PORT: '0',
  DATABASE_URL: 'sqlite::memory:',
  DATA_DIR: folder,
  SAMPLE_DATA: 'true',
  LOG_LEVEL: 'fatal',
});
// A file .env of whoever builds stays unread as well.
process.chdir(folder);
process.argv = [process.execPath, 'main.js', 'start'];
process.on('exit', () => {
  process.chdir('/');
  rmSync(folder, { recursive: true });
});

const script = compileBundle();
// The service says on the standard error stream that it is ready, or why it does not start.
const { write } = process.stderr;
process.stderr.write = (text, ...rest) => {
  if (!/^Press Ctrl-C/m.test(text)) return write.call(process.stderr, text, ...rest);
  // Whole or not at all: a service may be starting, and V8 trusts what it reads.
  writeFileSync(`${CODE_CACHE}.${process.pid}`, codeCacheOf(script), { flush: true });
  renameSync(`${CODE_CACHE}.${process.pid}`, CODE_CACHE);
  return process.exit();
};
void runBundle(script).program();
