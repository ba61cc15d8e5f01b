import { execFileSync } from 'node:child_process';

/** Makes a named pipe, for which Node.js has no call of its own. */
export function makeNamedPipe(path: string): void {
  execFileSync('mkfifo', [path]);
}
