// Bundles the service with its packages into dist/service.js, and what loads it into dist/main.js, where a source has
// changed since, without checking types: that takes 20 seconds, and `npm run typecheck` and the package's build
// (`npm run build`) do it. Then has this Node.js compile the bundle.
const { spawnSync } = require('node:child_process');
const { readdirSync, rmSync, statSync } = require('node:fs');
const { join } = require('node:path');

const ROOT = join(__dirname, '..');
const SOURCES = join(ROOT, 'src');
const BUILT = join(ROOT, 'dist');
const BUNDLE = join(BUILT, 'service.js');
const CACHE_WRITER = join(__dirname, 'code-cache.cjs');

/** Returns when a file or folder was last changed, in milliseconds; 0 if it does not exist. */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const began = Date.now();
// Folders among them: their times show that a source is gone.
const sources = ['', ...readdirSync(SOURCES, { recursive: true })].map((name) => join(SOURCES, name));
const compiler = [__filename, CACHE_WRITER, join(ROOT, 'package-lock.json')];
if (Math.max(...[...sources, ...compiler].map(changedAt)) >= changedAt(BUNDLE)) {
  console.error('Compiling the service; later starts do so only after a change ...');
  bundle();
}
if (changedAt(BUNDLE) > changedAt(require(join(BUILT, 'main.js')).CODE_CACHE)) {
  const { status } = spawnSync(process.execPath, [CACHE_WRITER], { stdio: ['ignore', 'ignore', 'inherit'] });
  // The service starts without it as well, or says itself why not.
  if (status === 0) console.error(`Compiled in ${((Date.now() - began) / 1000).toFixed(1)} s.`);
}

function bundle() {
  // With what earlier builds left.
  rmSync(BUILT, { recursive: true, force: true });
  // Loaded only here: that takes longer than to see that nothing has changed.
  require('esbuild').buildSync({
    absWorkingDir: ROOT,
    entryPoints: { main: 'src/main.ts', service: 'src/cli/index.ts' },
    outdir: BUILT,
    bundle: true,
    platform: 'node',
    target: 'node20',
    // What packages import() is Node's own, and a vm.Script imports nothing.
    supported: { 'dynamic-import': false },
    sourcemap: true,
    sourcesContent: false,
    // Found by their files, which are no modules of JavaScript; and not installed.
    external: ['@photostructure/sqlite', 'uplot', 'pg-native'],
    alias: {
      // Its main file loads its parts by a name that esbuild does not see.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      ...Object.fromEntries(['axios', 'axios-ntlm'].map((name) => [name, './scripts/no-http-client.cjs'])),
    },
    logLevel: 'warning',
  });
}
