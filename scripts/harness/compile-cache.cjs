// Loaded before a program that tests start (`--require`): takes what Node found out about modules in an earlier start,
// where they lie, what is in them and what V8 compiled that to. Without it a start takes a quarter more of the processor.
// What runs is the same code under the same names; only while the files stay as they are is the cache good. The first
// program writes it.
const { Buffer } = require('node:buffer');
const { existsSync, openSync, readFileSync, readSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname } = require('node:path');
const { deserialize, serialize } = require('node:v8');
const { Script } = require('node:vm');

const file = process.env.CHILD_COMPILE_CACHE;
/** Where modules lie, and where in the file their source and what V8 made of it stand. */
const cache = existsSync(`${file}.index`) ? deserialize(readFileSync(`${file}.index`)) : undefined;
const made = { places: new Map(), modules: new Map() };
// A program loads a part of the modules: each is read when it is asked for.
const opened = cache === undefined ? undefined : openSync(file);
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

function read({ start, length }) {
  const bytes = Buffer.allocUnsafe(length);
  readSync(opened, bytes, 0, length, start);
  return bytes;
}

Module._extensions['.js'] = function (module, filename) {
  const known = cache?.modules.get(filename);
  if (known === undefined) loadWithout(module, filename);
  else module._compile(read(known.source).toString(), filename);
};

Module.prototype._compile = function (source, filename, format) {
  // Of a script of our own, Node does not know how to load what it imports while it runs.
  if (source.includes('import(')) return compileWithout.call(this, source, filename, format);
  let script;
  const known = cache?.modules.get(filename);
  try {
    script = new Script(Module.wrap(source), { filename, cachedData: known && read(known.compiled) });
  } catch {
    return compileWithout.call(this, source, filename, format); // No CommonJS module, or a mistake that Node explains.
  }
  if (cache === undefined) made.modules.set(filename, { source, script });
  const require = (name) => this.require(name);
  require.resolve = (name, options) => Module._resolveFilename(name, this, false, options);
  Object.assign(require, { main: process.mainModule, extensions: Module._extensions, cache: Module._cache });
  return script
    .runInThisContext()
    .call(this.exports, this.exports, require, this, filename, dirname(filename));
};

if (cache === undefined) {
  process.once('exit', () => {
    const parts = [];
    let length = 0;
    const add = (bytes) => {
      parts.push(bytes);
      length += bytes.length;
      return { start: length - bytes.length, length: bytes.length };
    };
    const modules = new Map();
    for (const [name, { source, script }] of made.modules) {
      modules.set(name, { source: add(Buffer.from(source)), compiled: add(script.createCachedData()) });
    }
    writeFileSync(file, Buffer.concat(parts));
    writeFileSync(`${file}.index`, serialize({ places: made.places, modules }));
  });
}
