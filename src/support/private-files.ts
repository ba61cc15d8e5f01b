import { closeSync, existsSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** What is in a file, who has no business there, and the modes that keep them out. */
interface Kind {
  readonly holds: string;
  readonly others: string;
  /** Bits that let them in. */
  readonly mask: number;
  readonly file: string;
  readonly folder: string;
}

/** What the service writes. */
const PERSONAL_DATA: Kind = {
  holds: 'personal data',
  others: 'its owner',
  mask: 0o077,
  file: '600',
  folder: '700',
};
/** What it only reads: another may own it, and let in the service's group. */
const SECRET: Kind = {
  holds: 'a secret',
  others: 'its owner and group',
  mask: 0o027,
  file: '640',
  folder: '750',
};
/** Of a folder that is shared on purpose, such as /tmp: nobody can touch the files of others there. */
const STICKY = 0o1000;
const MODE_BITS = 0o7777;

/** A file or folder that others than its owner can get at. */
interface Looseness {
  readonly path: string;
  /** In octal digits. */
  readonly mode: string;
  /** One line for the operator: what is wrong, and what to do. */
  readonly message: string;
}

/** Those of some files and folders that others than their owners can get at; on Windows none. */
export function looseness(
  paths: readonly string[],
  system: Pick<typeof process, 'platform'> = process,
): readonly Looseness[] {
  return loosenessOf(PERSONAL_DATA, paths, system);
}

/** Those of some files with secrets that others than their owners and groups can read, or groups write. */
export function loosenessOfSecrets(paths: readonly string[]): readonly Looseness[] {
  return loosenessOf(SECRET, paths, process);
}

function loosenessOf(
  { holds, others, mask, ...modes }: Kind,
  paths: readonly string[],
  { platform }: Pick<typeof process, 'platform'>,
): readonly Looseness[] {
  if (platform === 'win32') return [];
  return paths.flatMap((path) => {
    const stats = statsOf(path);
    if (stats === undefined || (stats.mode & mask) === 0 || (stats.mode & STICKY) !== 0) return [];
    const mode = (stats.mode & MODE_BITS).toString(8);
    const remedy = `chmod ${stats.isDirectory() ? modes.folder : modes.file} ${inShell(path)}`;
    const message = `${path} contains ${holds} and is accessible to others than ${others} (mode ${mode}). Run: ${remedy}`;
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
