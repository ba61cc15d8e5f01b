import { readFileSync } from 'node:fs';
import { createRequire, SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { compileFunction } from 'node:vm';

import { type Options, transformSync } from '@swc/core';

/** Runs the code of a module in a scope of its own. */
type Body = (
  exports: unknown,
  require: (id: string) => unknown,
  module: NodeJS.Module,
  path: string,
  folder: string,
) => void;

/** Changes the compiled code of a file. */
export type Instrument = (code: string, path: string, map: string) => string;

const PACKAGES = `${sep}node_modules${sep}`;
const NAMES = ['exports', 'require', 'module', '__filename', '__dirname'];

/** Jest loads the test runner again for each test file; a second loader would compile everything again. */
const RUNS_TESTS =
  /[/\\](?:scripts[/\\]harness[/\\]circus[/\\]|test[/\\]harness[/\\](?:run-test-file\.ts|test-\w+\.cjs)$)/;

/** Loads the TypeScript of a folder into this process, afresh as often as it is asked to. */
export class ModuleLoader {
  readonly #folder: string;
  readonly #instrument: Instrument;
  readonly #bodies = new Map<string, Body>();
  /** By what is imported and from where: the paths of the project's own modules. */
  readonly #paths = new Map<string, string>();
  /** Source maps; read when a stack needs them. */
  readonly #maps = new Map<string, string | SourceMap>();

  /**
   * @param options - how it is compiled
   * @param instrument - applied to compiled code
   */
  constructor(folder: string, options: Options, instrument: Instrument = (code) => code) {
    this.#folder = folder + sep;
    this.#instrument = instrument;
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- What took its place is not in Node 20.
    createRequire(this.#folder).extensions['.ts'] = (module, path) => {
      const body = this.#bodies.get(path) ?? this.#compile(path, options);
      this.#bodies.set(path, body);
      const folder = dirname(path);
      const own = createRequire(path);
      const load = (id: string): unknown => {
        if (!id.startsWith('.')) return module.require(id) as unknown;
        const place = join(folder, id);
        // import() names the compiled file; here there is only its source.
        const target = this.#paths.get(place) ?? own.resolve(id.replace(/\.js$/, ''));
        this.#paths.set(place, target);
        return (own.cache[target] ?? { exports: module.require(target) as unknown }).exports;
      };
      const require = Object.assign(load, { resolve: own.resolve });
      body.call(module.exports, module.exports, require, module, path, folder);
    };
  }

  /**
   * Forgets all that was loaded from the folder but packages and what runs the tests, whoever loaded it: with `-i`, Jest's
   * global setup.
   *
   * @param kept - paths of modules that stay, with all that they import
   */
  forget(kept?: RegExp): void {
    const { cache } = createRequire(this.#folder);
    for (const [path, module] of Object.entries(cache)) {
      if (!path.startsWith(this.#folder) || path.includes(PACKAGES) || RUNS_TESTS.test(path)) continue;
      if (kept?.test(path) === true) continue;
      Reflect.deleteProperty(cache, path);
      // A package keeps the module that loaded it first, which would keep all others of its test file.
      if (module !== undefined) module.children = [];
    }
  }

  /** @returns what the module exports */
  load(path: string): unknown {
    return createRequire(path)(path) as unknown;
  }

  /** Returns a text, such as a stack, in which positions of compiled code are those of its source. */
  inSource(text: string): string {
    return text.replaceAll(/(\/[^\s():]+\.ts):(\d+):(\d+)/g, (position, path: string, line, column) => {
      const map = this.#maps.get(path);
      if (map === undefined) return position;
      // The compiler wrote it.
      const read = typeof map === 'string' ? new SourceMap(JSON.parse(map) as SourceMapPayload) : map;
      this.#maps.set(path, read);
      const entry = read.findEntry(Number(line) - 1, Number(column) - 1);
      if (!('originalLine' in entry)) return position;
      return `${path}:${String(entry.originalLine + 1)}:${String(entry.originalColumn + 1)}`;
    });
  }

  #compile(path: string, options: Options): Body {
    const source = readFileSync(path, 'utf8');
    const { code, map = '{}' } = transformSync(source, {
      ...options,
      filename: path,
      module: { type: 'commonjs' },
      sourceMaps: true,
    });
    this.#maps.set(path, map);
    return compileFunction(this.#instrument(code, path, map), NAMES, { filename: path }) as Body;
  }
}
