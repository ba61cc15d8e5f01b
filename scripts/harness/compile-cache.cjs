// Loaded before a program that tests start (`--require`): takes what Node found out about modules in an earlier start,
// where they lie and what V8 compiled them to. Without it that is half of a start's processor time. What runs is the
// same code from the same files; only while these stay as they are is the cache good. The first program writes it.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname } = require('node:path');
const { deserialize, serialize } = require('node:v8');
const { Script } = require('node:vm');

const file = process.env.CHILD_COMPILE_CACHE;
const cache = existsSync(file) ? deserialize(readFileSync(file)) : undefined;
const scripts = new Map();
const compileWithout = Module.prototype._compile;

Module.prototype._compile = function (source, filename, format) {
  // Of a script of our own, Node does not know how to load what it imports while it runs.
  if (source.includes('import(')) return compileWithout.call(this, source, filename, format);
  let script;
  try {
    script = new Script(Module.wrap(source), { filename, cachedData: cache?.compiled.get(filename) });
  } catch {
    return compileWithout.call(this, source, filename, format); // No CommonJS module, or a mistake that Node explains.
  }
  if (cache === undefined) scripts.set(filename, script);
  const require = (name) => this.require(name);
  require.resolve = (name, options) => Module._resolveFilename(name, this, false, options);
  Object.assign(require, { main: process.mainModule, extensions: Module._extensions, cache: Module._cache });
  return script
    .runInThisContext()
    .call(this.exports, this.exports, require, this, filename, dirname(filename));
};

if (cache !== undefined) {
  Object.assign(Module._pathCache, cache.paths);
} else {
  process.once('exit', () => {
    const compiled = new Map([...scripts].map(([name, script]) => [name, script.createCachedData()]));
    writeFileSync(file, serialize({ compiled, paths: { ...Module._pathCache } }));
  });
}
