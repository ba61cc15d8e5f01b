import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import { PACKAGE_ROOT } from '../../src/support/package-root';

const FOLDER = join(PACKAGE_ROOT, 'wsdl');

/** Names of the service descriptions in `wsdl/`, which are also the names of their endpoints. */
export const ENDPOINT_NAMES: readonly string[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.wsdl'))
  .map((file) => basename(file, '.wsdl'))
  .sort();

/** The text of a service description as it stands in `wsdl/`. */
export function readDescription(name: string): string {
  return readFileSync(join(FOLDER, `${name}.wsdl`), 'utf8');
}
