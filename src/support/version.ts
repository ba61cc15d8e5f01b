import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The version of the package. */
export function readVersion(): string {
  const text = readFileSync(join(__dirname, '..', 'package.json'), 'utf8');
  // The package's own file, which npm has read before.
  return (JSON.parse(text) as { readonly version: string }).version;
}
