import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
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

const NAMES = ['exports', 'require', 'module', '__filename', '__dirname'];

/** Loads the TypeScript of a folder into this process, afresh as often as it is asked to. */
export class ModuleLoader {
  readonly #folder: string;
  readonly #bodies = new Map<string, Body>();

  /** @param options - how it is compiled */
  constructor(folder: string, options: Options) {
    this.#folder = folder + sep;
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- What took its place is not in Node 20.
    createRequire(this.#folder).extensions['.ts'] = (module, path) => {
      const body = this.#bodies.get(path) ?? compile(path, options);
      this.#bodies.set(path, body);
      const require = Object.assign((id: string): unknown => module.require(id) as unknown, {
        resolve: createRequire(path).resolve,
      });
      body.call(module.exports, module.exports, require, module, path, dirname(path));
    };
  }

  /** Forgets all that was loaded from the folder; packages lie elsewhere, and stay. */
  forget(): void {
    const { cache } = createRequire(this.#folder);
    for (const path of Object.keys(cache)) {
      if (path.startsWith(this.#folder)) Reflect.deleteProperty(cache, path);
    }
  }

  /** @returns what the module exports */
  load(path: string): unknown {
    return createRequire(path)(path) as unknown;
  }
}

function compile(path: string, options: Options): Body {
  const source = readFileSync(path, 'utf8');
  const { code } = transformSync(source, { ...options, filename: path, module: { type: 'commonjs' } });
  return compileFunction(code, NAMES, { filename: path }) as Body;
}
