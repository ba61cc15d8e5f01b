import { readdirSync } from 'node:fs';

/** Returns the names of a folder's files without those of a log, which go with the last connection to its database. */
export function databaseFiles(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => !/-(?:wal|shm)$/.test(name));
}
