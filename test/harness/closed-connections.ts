import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The folder in which Linux lists the files that this process has open. */
const OPEN_FILES = '/proc/self/fd';
/** Most statements are young; collecting all objects takes a hundred times as long. */
const YOUNG_ROUNDS = 2;
const MAX_ROUNDS = 6;

/**
 * Has SQLite close the connections to databases in some folders that this process has closed. The driver finalizes
 * statements only when they are collected, and until then their connection keeps its locks; a command, which is a process,
 * takes them along when it ends.
 */
export async function letGoOfClosed(...folders: readonly string[]): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;
  for (let round = 0; round < MAX_ROUNDS && hasOpenDatabase(folders); round += 1) {
    if (round < YOUNG_ROUNDS) collect({ type: 'minor' });
    else collect();
    await turn();
  }
}

/** Returns true if a database file may be open; a deleted one locks nothing. */
function hasOpenDatabase(folders: readonly string[]): boolean {
  if (!existsSync(OPEN_FILES)) return true; // Only Linux has the list.
  return openFiles().some(
    (path) => /\.db(?:-wal|-shm)?$/.test(path) && folders.some((folder) => path.startsWith(folder)),
  );
}

/** Returns the paths of the files that this process has open; on Linux only. */
export function openFiles(): readonly string[] {
  return readdirSync(OPEN_FILES).map(target);
}

/** Returns an empty text if the descriptor was closed meanwhile, as that of the folder itself is. */
function target(descriptor: string): string {
  try {
    return readlinkSync(join(OPEN_FILES, descriptor));
  } catch {
    return '';
  }
}
