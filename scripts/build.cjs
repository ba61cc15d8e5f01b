// Compiles the service into dist/ where a source has changed since, without checking types: that takes 20 seconds, and
// `npm run typecheck` and the package's build (`npm run build`) do it. The package has what the type checker writes
// instead: exports are plain properties there, getters here.
const { transformFileSync } = require('@swc/core');
const {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} = require('node:fs');
const { basename, dirname, join } = require('node:path');

const ROOT = join(__dirname, '..');
const SOURCE = join(ROOT, 'src');
const BUILT = join(ROOT, 'dist');
const OPTIONS = {
  jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
  // import() of a package stays one: some packages are ES modules only.
  // Named exports can be imported from ES modules.
  module: { type: 'commonjs', ignoreDynamic: true, exportInteropAnnotation: true },
  sourceMaps: true,
  swcrc: false,
};

/** Returns when a file was last changed, in milliseconds; 0 if it does not exist. */
const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const isFile = (path) => statSync(path).isFile();
const sources = readdirSync(SOURCE, { recursive: true }).filter((name) => isFile(join(SOURCE, name)));
const compiler = Math.max(changedAt(__filename), changedAt(join(ROOT, 'package-lock.json')));
const targetOf = (name) => join(BUILT, name.replace(/\.ts$/, '.js'));
const changed = sources.filter(
  (name) => Math.max(changedAt(join(SOURCE, name)), compiler) > changedAt(targetOf(name)),
);

// The first start compiles everything, which takes seconds, or minutes on a small machine.
const isLong = changed.length > 50;
const began = Date.now();
if (isLong)
  console.error(`Compiling ${changed.length} files; later starts compile only what has changed ...`);
for (const [at, name] of changed.entries()) {
  if (isLong && process.stderr.isTTY && at % 20 === 0) process.stderr.write(`\r  ${at} of ${changed.length}`);
  const [from, to] = [join(SOURCE, name), targetOf(name)];
  mkdirSync(dirname(to), { recursive: true });
  if (!name.endsWith('.ts')) {
    copyFileSync(from, to);
    continue;
  }
  const { code, map } = transformFileSync(from, OPTIONS);
  writeFileSync(`${to}.map`, map);
  // Last and at once: its time shows that the file is compiled, and another process may be reading it.
  writeFileSync(`${to}.${process.pid}`, `${code}\n//# sourceMappingURL=${basename(to)}.map\n`);
  renameSync(`${to}.${process.pid}`, to);
}

if (isLong) {
  const start = process.stderr.isTTY ? '\r' : '';
  console.error(`${start}Compiled ${changed.length} files in ${Math.ceil((Date.now() - began) / 1000)} s.`);
}

// Files without a source would be found by require(), and be packed.
const known = new Set(sources.flatMap((name) => [name, name.replace(/\.ts$/, '')]));
if (existsSync(BUILT)) {
  for (const name of readdirSync(BUILT, { recursive: true })) {
    const source = name.replace(/\.(?:js|js\.map|d\.ts)$/, '');
    if (source !== name && !known.has(source) && !known.has(name)) rmSync(join(BUILT, name));
  }
}
