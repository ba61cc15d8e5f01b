import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';

import { PACKAGE_ROOT } from './package-root';

const NAME = 'school-notifications';

/** True if the program runs from a checkout with its sources, and not from an installed package. */
export const IS_CHECKOUT = existsSync(join(PACKAGE_ROOT, 'src', 'main.ts'));

/** Program name to type before a command. Its type is the name under which texts are translated. */
export const PROGRAM_NAME = findProgramName(process.argv, process.env['PATH']) as typeof NAME;

/** Command line that starts the service with the sample school; on Windows for PowerShell. */
export const SAMPLE_START =
  process.platform === 'win32'
    ? `$env:SAMPLE_DATA='true'; $env:DATABASE_URL='sqlite:sample.db'; ${PROGRAM_NAME} start`
    : `SAMPLE_DATA=true DATABASE_URL=sqlite:sample.db ${PROGRAM_NAME} start`;

/**
 * Returns the shortest command line that starts this program in the operator's shell. The folders that npm
 * and npx add to PATH (`node_modules/.bin`) are not in the PATH of that shell.
 */
export function findProgramName(
  [, called = NAME]: readonly string[],
  path = '',
  isCheckout = IS_CHECKOUT,
): string {
  if (isCheckout) return `npx ${NAME}`;
  const folders = path.split(delimiter).filter((folder) => basename(folder) !== '.bin');
  // npm, and the package for Windows, write a script of the second name there.
  if (folders.some((folder) => [NAME, `${NAME}.cmd`].some((name) => isExecutable(join(folder, name)))))
    return NAME;
  const shown = /\s/.test(called) ? `"${called}"` : called;
  return basename(called) === NAME ? shown : `node ${shown}`;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Returns the version of the package. */
export function readVersion(): string {
  const text = readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8');
  // The package's own file, which npm has validated.
  return (JSON.parse(text) as { readonly version: string }).version;
}
