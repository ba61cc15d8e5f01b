import { execFileSync } from 'node:child_process';
import { linkSync, unlinkSync } from 'node:fs';

import { openToRead, type RegularFile } from '../../src/support/regular-file';

/** Makes a named pipe, for which Node.js has no call of its own. */
export function makeNamedPipe(path: string): void {
  execFileSync('mkfifo', [path]);
}

/** Opens a file, and puts a named pipe in its place; the file keeps another name. */
export async function openThenReplace(path: string): Promise<RegularFile> {
  const opened = await openToRead(path);
  linkSync(path, `${path}.kept`);
  unlinkSync(path);
  makeNamedPipe(path);
  return opened;
}
