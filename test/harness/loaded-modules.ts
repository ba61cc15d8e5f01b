import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Coverage {
  readonly result: readonly {
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

/**
 * Returns the modules of the bundle that a program loaded, by the paths of their sources: each is a function with that
 * name.
 *
 * @param folder - was NODE_V8_COVERAGE of the program, which has ended
 */
export function loadedModules(folder: string): readonly string[] {
  return readdirSync(folder)
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Coverage)
    .flatMap(({ result }) => result.flatMap(({ functions }) => functions))
    .filter(({ ranges: [whole] }) => whole !== undefined && whole.count > 0)
    .map(({ functionName }) => functionName);
}
