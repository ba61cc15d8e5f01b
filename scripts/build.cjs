// Compiles the service where something has changed since it was compiled: to ask the compiler takes seconds, and each
// command of a terminal would wait for them.
const { execFileSync } = require('node:child_process');
const { existsSync, readdirSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const STAMP = join(ROOT, 'dist', '.built');
/** Folders too: where a file was removed, nothing else tells. */
const SOURCES = ['src', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'scripts/build.cjs'];

function changedAfter(path, time) {
  const stat = statSync(path);
  if (stat.mtimeMs >= time) return true;
  return stat.isDirectory() && readdirSync(path).some((name) => changedAfter(join(path, name), time));
}

const builtAt = existsSync(STAMP) ? statSync(STAMP).mtimeMs : 0;
if (SOURCES.some((source) => changedAfter(join(ROOT, source), builtAt))) {
  const startedAt = new Date();
  const run = (...args) => execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
  try {
    run(require.resolve('typescript/bin/tsc'), '-b', 'tsconfig.build.json');
    run(join(__dirname, 'prune-build.cjs'));
  } catch {
    process.exit(1); // The compiler has said why.
  }
  writeFileSync(STAMP, '');
  // What is changed while it compiles is compiled the next time.
  require('node:fs').utimesSync(STAMP, startedAt, startedAt);
}
