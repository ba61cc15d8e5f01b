import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it that are missing. Node's own `recursive` never returns where the system
 * answers that the folder above does not exist although it does, as Linux does under /proc (Node 20 and 24).
 *
 * @throws the file system's error when it cannot be made
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makeFolder(above);
  try {
    mkdirSync(path);
  } catch (error) {
    // Another process may have made it in the meantime.
    if (!existsSync(path)) throw error;
  }
}
