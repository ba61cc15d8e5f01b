import type { DatabaseSyncInstance } from '@photostructure/sqlite';

/**
 * Lets the reads of one turn of the event loop share a transaction: to take SQLite's read lock and to give it
 * back costs nearly as much as to look up a row.
 */
export class ReadTurn {
  readonly #database: DatabaseSyncInstance;
  #isOpen = false;

  /** @param database - a connection that nobody begins other transactions on */
  constructor(database: DatabaseSyncInstance) {
    this.#database = database;
  }

  /** What is read from now on, until the turn ends, is of one moment. */
  begin(): void {
    if (this.#isOpen) return;
    this.#database.exec('begin');
    this.#isOpen = true;
    setImmediate(() => {
      this.end();
    });
  }

  /** What is read from now on is of now. */
  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    // An error of a read may have ended it already. There is nothing to commit, and this cannot fail.
    if (this.#database.isTransaction) this.#database.exec('rollback');
  }
}
