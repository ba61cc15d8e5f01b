import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The package's folder, which is searched for: tests run each source where it is, users one file of all. */
export const PACKAGE_ROOT = findRoot(__dirname);

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error(`No package.json in ${__dirname} or above it.`);
  return findRoot(parent);
}
