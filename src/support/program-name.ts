import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether the program runs from a checkout, which alone has its sources, and not from an installed package. */
export const IS_CHECKOUT = existsSync(join(__dirname, '..', '..', 'src'));

/** What the operator types before the name of a command: only npx finds a program that is not installed. */
export const PROGRAM_NAME = IS_CHECKOUT ? 'npx school-notifications' : 'school-notifications';

/** The version of the package. */
export function readVersion(): string {
  const text = readFileSync(join(__dirname, '..', '..', 'package.json'), 'utf8');
  // The package's own file, which npm has read before.
  return (JSON.parse(text) as { readonly version: string }).version;
}
