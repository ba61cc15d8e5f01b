// Bundles the service with its packages into dist/service.js, what loads it into dist/main.js, and the protocol without
// packages into dist/asmx/, where a source has changed since. Then has this Node.js compile the service. Types are not
// checked: that takes 20 seconds, and `npm run typecheck` does it.
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs');
const { dirname, join } = require('node:path');

const ROOT = join(__dirname, '..');
const SOURCES = join(ROOT, 'src');
const BUILT = join(ROOT, 'dist');
const PROGRAM = join(BUILT, 'main.js');
const BUNDLE = join(BUILT, 'service.js');
const REPLACED = join(__dirname, 'bundle');
const CACHE_WRITER = join(__dirname, 'code-cache.cjs');

/** Returns when a file or folder was last changed, in milliseconds; 0 if it does not exist. */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const began = Date.now();
// Folders among them: their times show that a source is gone.
const sources = ['', ...readdirSync(SOURCES, { recursive: true })].map((name) => join(SOURCES, name));
const replaced = readdirSync(REPLACED).map((name) => join(REPLACED, name));
const compiler = [__filename, CACHE_WRITER, join(ROOT, 'package-lock.json'), ...replaced];
if (Math.max(...[...sources, ...compiler].map(changedAt)) >= changedAt(BUNDLE)) {
  console.error('Compiling the service; later starts do so only after a change ...');
  bundle();
}
if (changedAt(BUNDLE) > changedAt(require(PROGRAM).CODE_CACHE)) {
  const { status } = spawnSync(process.execPath, [CACHE_WRITER], { stdio: ['ignore', 'ignore', 'inherit'] });
  // The service starts without it as well, or says itself why not.
  if (status === 0) console.error(`Compiled in ${((Date.now() - began) / 1000).toFixed(1)} s.`);
}

function bundle() {
  // Loaded only here: that takes longer than to see that nothing has changed.
  const { buildSync } = require('esbuild');
  const common = {
    absWorkingDir: ROOT,
    outdir: BUILT,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node20',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
  };
  // What other programs import.
  const protocol = buildSync({
    ...common,
    entryPoints: { 'asmx/index': 'src/asmx/index.ts' },
    packages: 'external',
  });
  const program = buildSync({
    ...common,
    entryPoints: { main: 'src/main.ts', service: 'src/cli/index.ts' },
    // What packages import() is Node's own, and a vm.Script imports nothing.
    supported: { 'dynamic-import': false },
    // Found by their files, which are no modules of JavaScript; and not installed.
    external: ['@photostructure/sqlite', 'uplot', 'pg-native'],
    alias: {
      // Its main file loads its parts by a name that esbuild does not see.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      axios: './scripts/bundle/axios.cjs',
      'axios-ntlm': './scripts/bundle/axios.cjs',
      sax: './scripts/bundle/sax.cjs',
    },
  });
  const files = new Map(
    [...protocol.outputFiles, ...program.outputFiles].map((file) => [
      file.path,
      file.path === BUNDLE ? withId(withoutOthers(file.text)) : file.contents,
    ]),
  );
  replaceBuilt(files);
}

/**
 * Replaces what is built by these files, each at once: a running service may be starting a command. Nothing has been
 * changed before, so that a source which does not compile leaves the last program.
 */
function replaceBuilt(files) {
  mkdirSync(BUILT, { recursive: true });
  const earlier = readdirSync(BUILT, { recursive: true }).map((name) => join(BUILT, name));
  // The service last: its time shows that everything is built.
  const bundleLast = [...files].sort(([path], [other]) => Number(path === BUNDLE) - Number(other === BUNDLE));
  for (const [path, contents] of bundleLast) {
    mkdirSync(dirname(path), { recursive: true });
    const written = `${path}.${process.pid}`;
    writeFileSync(written, contents, { mode: path === PROGRAM ? 0o755 : 0o644 });
    renameSync(written, path);
  }
  for (const path of earlier)
    if (!files.has(path) && statSync(path, { throwIfNoEntry: false })?.isFile()) rmSync(path);
}

/** Adds a last line that no other program has, by which `src/main.ts` knows the code that V8 compiled of it. */
function withId(text) {
  return `${text}// id: ${createHash('sha256').update(text).digest('hex')}\n`;
}

/**
 * Returns a program in ASCII, which V8 keeps in half of the memory. esbuild leaves other characters in comments, regular
 * expressions and templates of tags; they mean the same if escaped, but for `String.raw`.
 */
function withoutOthers(text) {
  const [raw] = /String\.raw`[^`]*[^\0-\x7f]/.exec(text) ?? [];
  if (raw !== undefined)
    throw new Error(`String.raw would show an escape instead of the last character: ${raw}`);
  return text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
