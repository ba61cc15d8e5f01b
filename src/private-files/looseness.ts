import { statSync, type Stats } from 'node:fs';

/** Read, write and enter, for the group and for all others. */
const OF_OTHERS = 0o077;
/** Of a folder that is shared on purpose, such as /tmp: nobody can touch the files of others there. */
const STICKY = 0o1000;
const MODE_BITS = 0o7777;

/** A file or folder that others than its owner can get at. */
export interface Looseness {
  readonly path: string;
  /** In octal digits. */
  readonly mode: string;
  /** One line for the operator: what is wrong, and what to do. */
  readonly message: string;
}

/** Those of some files and folders that others than their owners can get at; on Windows none. */
export function looseness(
  paths: readonly string[],
  { platform }: Pick<typeof process, 'platform'> = process,
): readonly Looseness[] {
  if (platform === 'win32') return [];
  return paths.flatMap((path) => {
    const stats = statsOf(path);
    if (stats === undefined || (stats.mode & OF_OTHERS) === 0 || (stats.mode & STICKY) !== 0) return [];
    const mode = (stats.mode & MODE_BITS).toString(8);
    const remedy = `chmod ${stats.isDirectory() ? '700' : '600'} ${inShell(path)}`;
    const message = `${path} holds personal data, and others than its owner can get at it (mode ${mode}): ${remedy}`;
    return { path, mode, message };
  });
}

/** Undefined for what is not there, or cannot be looked at: who opens it says so. */
function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

function inShell(path: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
