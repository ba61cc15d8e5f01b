import { closeSync, constants, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

import { tryTo } from './errors';
import { quotedWord } from './shell';

/** Kind of content of a file, users who must not access it, and modes that exclude them. */
interface PrivateContent {
  readonly holds: string;
  readonly others: string;
  /** Mode bits that give them access. */
  readonly mask: number;
  readonly file: string;
  readonly folder: string;
}

/** Files that the service writes. */
const PERSONAL_DATA: PrivateContent = {
  holds: 'personal data',
  others: 'its owner',
  mask: 0o077,
  file: '600',
  folder: '700',
};
/** Files that it only reads: another user may own them and give access to the service's group. */
const SECRET: PrivateContent = {
  holds: 'a secret',
  others: 'its owner and group',
  mask: 0o027,
  file: '640',
  folder: '750',
};
/**
 * Mode bit of a folder that is shared on purpose, such as /tmp: users cannot touch the files of others there.
 */
const STICKY = 0o1000;
const MODE_BITS = 0o7777;

/** A file or folder that other users than its owner can access. */
interface ExposedFile {
  readonly path: string;
  /** In octal digits. */
  readonly mode: string;
  /** One line for the operator: the problem, and what to do. */
  readonly message: string;
}

/** Returns the given files and folders that other users than their owners can access; on Windows none. */
export function exposedFiles(
  paths: readonly string[],
  system: Pick<typeof process, 'platform'> = process,
): readonly ExposedFile[] {
  return findExposed(PERSONAL_DATA, paths, system);
}

/**
 * Returns the given secret files that users besides owner and group can read, or that the group can write.
 */
export function exposedSecretFiles(paths: readonly string[]): readonly ExposedFile[] {
  return findExposed(SECRET, paths, process);
}

function findExposed(
  { holds, others, mask, ...modes }: PrivateContent,
  paths: readonly string[],
  { platform }: Pick<typeof process, 'platform'>,
): readonly ExposedFile[] {
  if (platform === 'win32') return [];
  return paths.flatMap((path) => {
    // A file that is missing or not accessible will be reported by who opens it.
    const stats = tryTo(() => statSync(path));
    if (stats === undefined || (stats.mode & mask) === 0 || (stats.mode & STICKY) !== 0) return [];
    const mode = (stats.mode & MODE_BITS).toString(8);
    const remedy = `chmod ${stats.isDirectory() ? modes.folder : modes.file} ${inShell(path)}`;
    const message = `${path} contains ${holds} and is accessible to users other than ${others} (mode ${mode}). Run: ${remedy}`;
    return { path, mode, message };
  });
}

/**
 * Returns true if users other than this one and the administrator can replace files in a folder; on Windows
 * false.
 *
 * @throws the file system's error if there is no such folder
 */
export function othersMayReplaceIn(folder: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return false;
  const { mode, uid } = statSync(folder);
  const isShared = (mode & 0o022) !== 0 && (mode & STICKY) === 0;
  return isShared || (uid !== user && uid !== 0);
}

function inShell(path: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(path) ? path : quotedWord(path);
}

/** Modes of private files and folders; a umask adds nothing to them, and Windows ignores them. */
export const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * Creates a private folder and missing folders above it. Node's own `recursive` never returns if the system
 * claims that the parent folder does not exist although it does, as Linux does under /proc (Node 20 and 24).
 *
 * @throws the file system's error when it cannot be created
 */
export function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  const above = dirname(path);
  if (above !== path) makePrivateFolder(above);
  try {
    mkdirSync(path, PRIVATE_FOLDER);
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(path)) throw error;
  }
}

/** Creates no file where a link leads. Windows does not have the last flag, although the typings say so. */
const CREATE =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  ((constants as Partial<typeof constants>).O_NOFOLLOW ?? 0);

/**
 * Creates an empty private file, for a library that would create it readable by everyone. An existing file is
 * unchanged.
 *
 * @throws the file system's error when it cannot be created
 */
export function makePrivateFile(path: string): void {
  closeSync(openSync(path, CREATE, PRIVATE_FILE));
}
