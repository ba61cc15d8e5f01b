// Takes out of build/ what an earlier build made of sources that are gone since: require('./outbox')
// would find an old outbox.js before the folder outbox/.
const { existsSync, readdirSync, rmSync } = require('node:fs');
const { join } = require('node:path');

// Not all of build/: the sandboxes of a run of mutants are there, too, with a link to the packages.
const SOURCES = { 'build/src': 'src', 'build/scripts': 'scripts', 'build/test': 'test' };
const SUFFIX = /\.(?:js|js\.map|d\.ts)$/;

for (const [folder, source] of Object.entries(SOURCES)) {
  const built = join(__dirname, '..', folder);
  if (!existsSync(built)) continue;
  for (const file of readdirSync(built, { recursive: true })) {
    if (!SUFFIX.test(file)) continue;
    const from = join(__dirname, '..', source, file.replace(SUFFIX, '.ts'));
    if (!existsSync(from)) rmSync(join(built, file));
  }
}
