import { statSync } from 'node:fs';

import { sql } from 'kysely';

import {
  type Connection,
  type DatabaseSession,
  type Engine,
  type OnWrite,
  StoreError,
} from '../engine/engine';
import { hotRead } from '../engine/hot-statement';
import { GroupCommit } from './group-commit';
import type { DatabaseSyncInstance } from './library';
import { openDatabase, preparePath } from './open-database';
import { DirectConnection, ReadTurn, SqliteConnection } from './sqlite-connection';
import { SqliteSession } from './sqlite-session';

const IN_MEMORY = ':memory:';
/** Maximum wait of a write while another process writes. */
const LOCK_TIMEOUT_MS = 5000;

interface SqliteOptions {
  /** Path of the database file, or `:memory:`. */
  readonly path: string;
  /** Refuses to create the file, and changes nothing but rows. */
  readonly mustExist: boolean;
  readonly onWrite?: OnWrite | undefined;
}

/**
 * Opens the embedded engine: one connection reads, one writes. A reader therefore never sees uncommitted
 * changes, and never waits for a transaction.
 *
 * @throws StoreError when the file cannot be opened
 */
export function openSqlite({ path, mustExist, onWrite }: SqliteOptions): Engine {
  if (path !== IN_MEMORY) preparePath(path, mustExist);
  const writing = openDatabase(path, { asItIs: mustExist });
  // An in-memory database belongs to a single connection.
  const reading =
    path === IN_MEMORY ? writing : openDatabase(path, { asItIs: mustExist, readOnly: mustExist });
  return new SqliteEngine({ path, mustExist, onWrite }, writing, reading);
}

class SqliteEngine implements Engine {
  readonly name = 'sqlite';
  readonly direct: Connection;
  readonly #path: string;
  readonly #asItIs: boolean;
  /** Identity of the open file: its path may lead to another file later, or nowhere. */
  readonly #file: number | undefined;
  readonly #writing: DatabaseSyncInstance;
  readonly #reading: DatabaseSyncInstance;
  readonly #commits: GroupCommit;
  readonly #readTurn: ReadTurn | undefined;

  constructor(
    { path, mustExist, onWrite }: SqliteOptions,
    writing: DatabaseSyncInstance,
    reading: DatabaseSyncInstance,
  ) {
    this.#path = path;
    this.#asItIs = mustExist;
    this.#file = readInode(path);
    this.#writing = writing;
    this.#reading = reading;
    const writer = new SqliteConnection(writing);
    this.#readTurn = reading === writing ? undefined : new ReadTurn(reading);
    this.#commits = new GroupCommit(writing, writer, LOCK_TIMEOUT_MS, {
      beforeCommit: () => this.#refuseOtherFile(),
      onCommit: () => this.#readTurn?.end(),
      onWrite,
    });
    this.direct = new DirectConnection(
      reading === writing ? writer : new SqliteConnection(reading),
      this.#readTurn,
      this.#commits,
    );
  }

  write<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#commits.write(work);
  }

  writeShort<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#commits.writeShort(work);
  }

  async session<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    const inMemory = this.#path === IN_MEMORY;
    this.#refuseOtherFile(); // Another one would be opened, or an empty one made.
    const database = inMemory ? this.#writing : openDatabase(this.#path, { asItIs: this.#asItIs });
    const session = new SqliteSession(database);
    try {
      return await work(session);
    } finally {
      if (inMemory) session.dropTemporaryTables();
      else database.close();
    }
  }

  announce(): void {
    // A file cannot call other processes: they poll.
  }

  listen(): () => Promise<void> {
    return () => Promise.resolve();
  }

  async ping(): Promise<void> {
    this.#refuseOtherFile();
    await this.direct.rows(PING, undefined);
    await this.#commits.check();
  }

  /**
   * Refuses to write to a moved or deleted file. It is still open and writable, but acknowledged writes would
   * be lost with it.
   */
  #refuseOtherFile(): void {
    if (this.#file === readInode(this.#path)) return;
    throw new StoreError('unavailable', 'The database file was deleted or replaced. Restart the service.');
  }

  async close(): Promise<void> {
    await this.#commits.idle();
    this.#readTurn?.end();
    try {
      // SQLite's own checkpoint, on closing the last connection, does not happen with every library: if
      // statements cannot be finalized, they keep the closed connection open inside SQLite until they are
      // garbage collected.
      if (!this.#asItIs) this.#writing.exec('pragma wal_checkpoint(truncate)');
    } catch {
      // The log remains beside the file, and is read at the next start.
    }
    this.#writing.close();
    // This comes last, because closing a read-only connection keeps the log of a file opened as it is.
    if (this.#reading !== this.#writing) this.#reading.close();
  }
}

/** Identifies the file at a path; undefined if there is none. */
function readInode(path: string): number | undefined {
  return path === IN_MEMORY ? undefined : statSync(path, { throwIfNoEntry: false })?.ino;
}

/** Reads from the schema, which forces access to the file. */
const PING = hotRead<undefined, readonly []>('ping', () => sql`select id from schools limit 1`);
