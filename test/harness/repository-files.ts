import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';

const NOT_OURS: ReadonlySet<string> = new Set(['.git', 'node_modules', 'dist', 'build', 'data', 'coverage']);

/** Paths of the repository's own files, from its root, that end as given. */
export function repositoryFiles(...endings: readonly string[]): readonly string[] {
  return [...filesIn(PACKAGE_ROOT)]
    .map((path) => relative(PACKAGE_ROOT, path).split(sep).join('/'))
    .filter((path) => endings.some((ending) => path.endsWith(ending)))
    .toSorted();
}

export function readRepositoryFile(path: string): string {
  return readFileSync(join(PACKAGE_ROOT, path), 'utf8');
}

function* filesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (NOT_OURS.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else yield path;
  }
}
