import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Modes of what is for its owner alone; no umask adds to them, and Windows knows none. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * Makes a folder and those above it that are missing, for their owner alone. Node's own `recursive` never returns
 * where the system answers that the folder above does not exist although it does, as Linux does under /proc
 * (Node 20 and 24).
 *
 * @throws the file system's error when it cannot be made
 */
export function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makePrivateFolder(above);
  try {
    mkdirSync(path, PRIVATE_FOLDER);
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!existsSync(path)) throw error;
  }
}

/**
 * Makes an empty file for its owner alone, for a library that would make it for everybody. What is there stays
 * as it is.
 *
 * @throws the file system's error when it cannot be made
 */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, 'a', PRIVATE_FILE));
}
