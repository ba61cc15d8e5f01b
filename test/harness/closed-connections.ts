import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The folder in which Linux lists the files that this process has open. */
const OPEN_FILES = '/proc/self/fd';
/** Most statements are young; collecting all objects takes a hundred times as long. */
const YOUNG_ROUNDS = 2;

/**
 * Has SQLite close the connections to databases in some folders that this process has closed. The driver finalizes
 * statements only when they are collected, and until then their connection keeps its locks; a command, which is a process,
 * takes them along when it ends.
 */
export async function letGoOfClosed(...folders: readonly string[]): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;
  let before = Infinity;
  for (let round = 0, open = openFiles(folders); open > 0 && open < before; round += 1) {
    // What is still open after all objects were collected, and nothing was closed, is in use.
    if (round > YOUNG_ROUNDS) before = open;
    collect(round < YOUNG_ROUNDS ? { type: 'minor' } : undefined);
    await turn();
    open = openFiles(folders);
  }
}

/** Returns the number of database files that are open; a deleted one locks nothing. */
function openFiles(folders: readonly string[]): number {
  if (!existsSync(OPEN_FILES)) return 1; // Only Linux has the list.
  const paths = readdirSync(OPEN_FILES).map(target);
  return paths.filter(
    (path) => /\.db(?:-wal|-shm)?$/.test(path) && folders.some((folder) => path.startsWith(folder)),
  ).length;
}

/** Returns an empty text if the descriptor was closed meanwhile, as that of the folder itself is. */
function target(descriptor: string): string {
  try {
    return readlinkSync(join(OPEN_FILES, descriptor));
  } catch {
    return '';
  }
}
