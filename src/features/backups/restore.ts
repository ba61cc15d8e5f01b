import { existsSync, lchownSync, linkSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

import { sql } from 'kysely';

import { StoreError } from '../../store';
import {
  aloneOnSqlite,
  copyDatabase,
  type DatabaseSession,
  KeepingError,
  type LoneSqlite,
  migrate,
  type OnPages,
  onSqlite,
  refuseNewerSchema,
  removeMark,
  rowsIn,
  type TableRows,
} from '../../store/whole-database';
import { isSameFile } from '../../support/regular-file';
import { counted, timeInName } from '../../support/text';
import type { BackupOptions } from './back-up';
import { onFile } from './on-file';
import { nameAnew, refuseReplaced, writeWhole } from './whole-file';

/** `replace` keeps an existing database that contains anything under another name, and takes its place. */
export type RestoreOptions = BackupOptions;

export interface RestoreReport {
  readonly tables: readonly TableRows[];
  /** Last schema step of the backup, if it had to be upgraded. */
  readonly upgradedFrom: string | undefined;
  /** Number of messages that will be sent when the service starts, unless they have expired. */
  readonly queued: number;
  /** New path of the previous database; undefined if there was none, or an empty one. */
  readonly setAside: string | undefined;
}

type Restored = Omit<RestoreReport, 'setAside'>;

/**
 * Replaces the database with a backup. The backup is first copied, verified, and upgraded if an earlier
 * version of the program wrote it; until then, and after any failure, the database is unchanged.
 *
 * @param path - of the database
 * @throws KeepingError, StoreError; `locked` if the database is open elsewhere
 */
async function restore(path: string, options: RestoreOptions): Promise<RestoreReport> {
  const file = resolve(options.file);
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) throw new KeepingError(`File not found: ${file}.`);
  if (!found.isFile()) throw new KeepingError(`${file} is not a regular file.`);
  if (isSameFile(path, file)) throw new KeepingError(`${file} is the database itself.`);
  if (existsSync(path))
    return aloneOnSqlite(path, true, (session) => replaceWith(file, path, session, options));
  const restored = await writeWhole(
    path,
    (partial) => prepare(file, partial, path, options.onPages),
    (partial) => {
      // An existing log would be taken for the new file's.
      for (const ending of ['-wal', '-shm', '-journal']) rmSync(path + ending, { force: true });
      nameAnew(partial, path);
    },
  );
  return { ...restored, setAside: undefined };
}

async function replaceWith(
  file: string,
  path: string,
  session: LoneSqlite,
  { replace, onPages }: RestoreOptions,
): Promise<RestoreReport> {
  const rows = await rowsIn(session);
  if (rows > 0 && !replace) {
    throw new KeepingError(
      `${path} already contains ${counted(rows, 'row')}. To keep it under another name and restore the backup, add --replace.`,
    );
  }
  const setAside = rows > 0 ? nameOfOld(path) : undefined;
  const restored = await writeWhole(
    path,
    (partial) => prepare(file, partial, path, onPages),
    async (partial) => {
      await session.release();
      if (setAside !== undefined) keepUnder(path, setAside);
      renameSync(partial, path);
    },
  );
  return { ...restored, setAside };
}

/** Fills a file with the backup, in the program's database format, and verifies it. */
async function prepare(file: string, partial: string, path: string, onPages: OnPages): Promise<Restored> {
  const tables = await copyBackup(file, partial, onPages);
  const restored = await onSqlite(partial, async (session): Promise<Restored> => {
    const { last, missing } = await refuseNewerSchema(session);
    if (last === undefined) throw new KeepingError(`${file} is not a backup of this program.`);
    await migrate(session);
    await refuseForeignSchema(session, file);
    // Restoring a database that was moved away means that it will be used again.
    await removeMark(session.kysely, 'moved');
    // These were the nodes at the time of the backup.
    await session.kysely.deleteFrom('nodes').execute();
    return {
      tables,
      upgradedFrom: missing.length > 0 ? last : undefined,
      queued: await queuedIn(session),
    };
  });
  copyOwner(dirname(path), partial);
  return restored;
}

async function copyBackup(file: string, partial: string, onPages: OnPages): Promise<readonly TableRows[]> {
  const found = statSync(file);
  try {
    const tables = await copyDatabase(file, partial, onPages);
    // The operator may have made a link.
    refuseReplaced(file, found, statSync);
    return tables;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    throw new KeepingError(`Cannot restore ${file}. ${error.message}`, { cause: error });
  }
}

async function queuedIn({ kysely }: DatabaseSession): Promise<number> {
  const { messages } = await kysely
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('messages'))
    .where('state', 'in', ['queued', 'sending'])
    .executeTakeFirstOrThrow();
  return messages;
}

/**
 * Gives the file to the service's own user, because restoring is done by the system's administrator. That
 * user can write to the folder: if a link has taken the file's name, only the link is given.
 */
function copyOwner(folder: string, path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  lchownSync(path, uid, gid);
}

function nameOfOld(path: string): string {
  const name = `${path}.before-${timeInName(Date.now())}`;
  if (existsSync(name)) throw new StoreError('unavailable', `${name} already exists. Try again.`);
  return name;
}

/** Keeps a database under its own name at every moment. */
function keepUnder(path: string, other: string): void {
  try {
    linkSync(path, other);
  } catch {
    renameSync(path, other); // A file system without such links.
  }
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  /** The statement that created it, as SQLite stores it. */
  readonly sql: string | null;
}

/** Excludes objects that SQLite creates itself. */
const OBJECTS = sql<SchemaObject>`select type, name, sql from sqlite_schema
  where name not like 'sqlite~_%' escape '~' order by type, name`;

/**
 * Refuses a database of this version whose schema is not the one that the program creates. A trigger or a
 * view added by an attacker could change or hide rows.
 *
 * @throws KeepingError
 */
async function refuseForeignSchema(session: DatabaseSession, file: string): Promise<void> {
  const own = await onSqlite(':memory:', async (fresh) => {
    await migrate(fresh);
    return listObjects(fresh);
  });
  const found = await listObjects(session);
  const key = ({ type, name }: SchemaObject): string => `${type} "${name}"`;
  const ownTexts = new Map(own.map((each) => [key(each), each.sql]));
  const names = new Set(found.map(key));
  const extra = found.find((each) => !ownTexts.has(key(each)));
  if (extra !== undefined) throw foreign(file, `it also has the ${key(extra)}`);
  const missing = own.find((each) => !names.has(key(each)));
  if (missing !== undefined) throw foreign(file, `it lacks the ${key(missing)}`);
  const changed = found.find((each) => ownTexts.get(key(each)) !== each.sql);
  if (changed !== undefined) throw foreign(file, `its ${key(changed)} was changed`);
}

async function listObjects({ kysely }: DatabaseSession): Promise<readonly SchemaObject[]> {
  return (await OBJECTS.execute(kysely)).rows;
}

function foreign(file: string, difference: string): KeepingError {
  return new KeepingError(
    `Cannot restore ${file}: its schema was changed; ${difference}. Use an unmodified backup.`,
  );
}

/** Replaces the SQLite database with a backup, while no one has it open. @throws KeepingError, StoreError */
export async function restoreDatabase(url: string, options: RestoreOptions): Promise<RestoreReport> {
  return onFile(url, 'pg_restore', (path) => restore(path, options));
}
