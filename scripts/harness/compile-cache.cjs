// Loaded before a program that tests start (`--require`): takes what Node found out about modules in an earlier start,
// where they lie, what is in them and what V8 compiled that to. Without it that is two thirds of a start's processor
// time. What runs is the same code under the same names; only while the files stay as they are is the cache good. The
// first program writes it.
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname } = require('node:path');
const { deserialize, serialize } = require('node:v8');
const { Script } = require('node:vm');

const file = process.env.CHILD_COMPILE_CACHE;
const cache = existsSync(file) ? deserialize(readFileSync(file)) : undefined;
const made = { places: new Map(), sources: new Map(), scripts: new Map() };
const compileWithout = Module.prototype._compile;
const resolveWithout = Module._resolveFilename;
const loadWithout = Module._extensions['.js'];

Module._resolveFilename = function (name, parent, isMain, options) {
  // With options, the place depends on more than who asks.
  const asked = parent && !options ? `${parent.path}\0${name}` : undefined;
  const known = cache?.places.get(asked);
  if (known !== undefined) return known;
  const place = resolveWithout.call(this, name, parent, isMain, options);
  if (asked !== undefined) made.places.set(asked, place);
  return place;
};

Module._extensions['.js'] = function (module, filename) {
  const source = cache?.sources.get(filename);
  if (source === undefined) loadWithout(module, filename);
  else module._compile(source, filename);
};

Module.prototype._compile = function (source, filename, format) {
  // Of a script of our own, Node does not know how to load what it imports while it runs.
  if (source.includes('import(')) return compileWithout.call(this, source, filename, format);
  let script;
  try {
    script = new Script(Module.wrap(source), { filename, cachedData: cache?.compiled.get(filename) });
  } catch {
    return compileWithout.call(this, source, filename, format); // No CommonJS module, or a mistake that Node explains.
  }
  if (cache === undefined) {
    made.sources.set(filename, source);
    made.scripts.set(filename, script);
  }
  const require = (name) => this.require(name);
  require.resolve = (name, options) => Module._resolveFilename(name, this, false, options);
  Object.assign(require, { main: process.mainModule, extensions: Module._extensions, cache: Module._cache });
  return script
    .runInThisContext()
    .call(this.exports, this.exports, require, this, filename, dirname(filename));
};

if (cache === undefined) {
  process.once('exit', () => {
    const { places, sources, scripts } = made;
    const compiled = new Map([...scripts].map(([name, script]) => [name, script.createCachedData()]));
    writeFileSync(file, serialize({ places, sources, compiled }));
  });
}
