import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The folder that holds package.json: compiled tests lie deeper than their sources, so it is searched for. */
export function packageRoot(): string {
  let folder = __dirname;
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`No package.json above ${__dirname}`);
    folder = parent;
  }
  return folder;
}

const FOLDER = join(packageRoot(), 'wsdl');

/** Names of the service descriptions in `wsdl/`, which are also the names of their endpoints. */
export const ENDPOINT_NAMES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.wsdl'))
  .map((file) => basename(file, '.wsdl'))
  .sort();

/** The text of a service description as it stands in `wsdl/`. */
export function readDescription(name: string): string {
  return readFileSync(join(FOLDER, `${name}.wsdl`), 'utf8');
}
