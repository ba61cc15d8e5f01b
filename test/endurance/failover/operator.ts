import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';

import { DatabaseError } from 'pg';

import { childEnvironment, PROGRAM, writeSchool } from '../../../scripts/harness';
import { change } from '../../../src/admin/console/message-changes';
import { openStore, type Store, StoreError } from '../../../src/store';
import { query } from '../../harness/postgres-databases';

/** Describes what became of the work of one event. */
export interface OperatorReport {
  /** The last line of an import that failed. */
  readonly importFailure: string | undefined;
  /** Holds what was wrong with the school afterwards. */
  readonly importDefect: string | undefined;
  /** True if the retry failed, and had to be repeated. */
  readonly retryFailed: boolean;
  /** Phones of the codes that were queued again. */
  readonly retried: readonly string[];
}

const SCHOOL = 'http://second.example';
const STUDENTS = 20_000;
const CODES = 2000;
const HOUR_MS = 3_600_000;
/** PostgreSQL rolled back the statement, and no other. */
const DEADLOCK = '40P01';
const POLL_MS = 20;
const AGAIN_MS = 500;

interface Import {
  readonly code: number | null;
  readonly errors: string;
}

/** Does what an operator does while the servers change places: an import with the command, and a bulk retry. */
export class Operator {
  readonly #folder: string;
  readonly #url: string;
  readonly #store: Store;
  #events = 0;
  #importing: Promise<Import> | undefined;
  #retrying: Promise<boolean> | undefined;

  private constructor(folder: string, url: string, store: Store) {
    this.#folder = folder;
    this.#url = url;
    this.#store = store;
  }

  /** @param url - that of the nodes */
  static async begin(folder: string, url: string): Promise<Operator> {
    return new Operator(folder, url, await openStore({ url }));
  }

  /** Resolves in the middle of an import and of a retry. */
  async work(primary: string): Promise<void> {
    this.#events += 1;
    const now = Date.now();
    const codes = this.#phones().map((recipient) => ({
      ...{ channel: 'sms' as const, recipient, school: '', payload: { code: '4711' }, dedupeKey: null },
      ...{ createdAt: now, notBefore: now + HOUR_MS, expiresAt: now + 2 * HOUR_MS },
    }));
    // A pooler keeps idle connections for the next server at its port, which may be a standby. That wrote nothing.
    await persist(
      () => this.#store.write(({ messages }) => messages.enqueueAll(codes)),
      (error) => error instanceof StoreError && error.trouble === 'read-only',
    );
    // Codes that wait for an hour look as if a wrong clock had delayed them: a node may be releasing the same rows.
    await persist(
      () => query(primary, `update messages set state = 'failed' where ${this.#isOurs()}`),
      (error) => error instanceof DatabaseError && error.code === DEADLOCK,
    );
    this.#importing = this.#import();
    await until(
      primary,
      `select 1 from pg_stat_activity where query like '%staged_students%' and pid <> pg_backend_pid()`,
    );
    this.#retrying = this.#retry();
    await until(primary, `select 1 from messages where ${this.#isOurs()} and state <> 'failed' limit 1`);
  }

  /**
   * Resolves when both are done, repeated where they failed.
   *
   * @param isSynchronous - false if what was acknowledged may be lost with the former primary
   */
  async end(primary: string, isSynchronous: boolean): Promise<OperatorReport> {
    const first = await this.#importing;
    const retryFailed = (await this.#retrying) === true;
    const importDefect = await this.#defect(primary, false);
    const isLost = !isSynchronous && (await this.#defect(primary, true)) !== undefined;
    const isOver = first?.code === 0 && !isLost;
    const second = isOver ? first : await this.#import();
    const secondDefect = second.code === 0 ? await this.#defect(primary, true) : second.errors;
    return {
      importFailure: isOver
        ? undefined
        : first?.code === 0
          ? 'Error: lost with the former primary'
          : first?.errors.trim().split('\n').at(-1),
      importDefect: importDefect ?? secondDefect,
      retryFailed,
      retried: this.#phones(),
    };
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #phones(): readonly string[] {
    return Array.from(
      { length: CODES },
      (_, at) => `+90544${String(this.#events * CODES + at).padStart(7, '0')}`,
    );
  }

  #isOurs(): string {
    const [first, last] = [this.#phones()[0], this.#phones().at(-1)];
    return `channel = 'sms' and recipient between '${String(first)}' and '${String(last)}'`;
  }

  /** Loads a school whose students are called by the number of the event. */
  async #import(): Promise<Import> {
    const folder = writeSchool(join(this.#folder, 'import'), {
      schools: [`${SCHOOL},Second`],
      classes: [`${SCHOOL},1A,Class`],
      students: Array.from(
        { length: STUDENTS },
        (_, at) => `${SCHOOL},S${String(at)},Event ${String(this.#events)},Y,1A`,
      ),
    });
    const child = spawn(process.execPath, [PROGRAM, 'import', folder], {
      cwd: this.#folder,
      env: childEnvironment({ DATABASE_URL: this.#url, DATA_DIR: join(this.#folder, 'operator') }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    const errors = await text(child.stderr);
    return { code: await ended, errors };
  }

  #retry(): Promise<boolean> {
    return persist(
      () => change(this.#store, 'retry', { channel: 'sms', state: 'failed' }, Date.now(), true),
      (error) => error instanceof StoreError,
    );
  }

  /** A file is loaded as a whole or not at all: all of its students have one name. */
  async #defect(primary: string, mustBeLoaded: boolean): Promise<string | undefined> {
    const { rows } = await query(
      primary,
      `select full_name as name, count(*)::int as students from students
       where school_id = (select id from schools where base_url = '${SCHOOL}') group by full_name`,
    );
    const isWhole = rows.every(({ students }) => students === STUDENTS) && rows.length <= 1;
    const isLoaded = rows[0]?.['name'] === `Event ${String(this.#events)}`;
    return isWhole && (isLoaded || !mustBeLoaded) ? undefined : JSON.stringify(rows);
  }
}

/** Repeats work until it succeeds, or fails for good; resolves to whether it failed before. */
async function persist(
  work: () => Promise<unknown>,
  isWorthRepeating: (error: unknown) => boolean,
): Promise<boolean> {
  for (let hasFailed = false; ; hasFailed = true) {
    try {
      await work();
      return hasFailed;
    } catch (error) {
      if (!isWorthRepeating(error)) throw error;
      await delay(AGAIN_MS);
    }
  }
}

/** Resolves when the question has a row. */
async function until(url: string, question: string): Promise<void> {
  while ((await query(url, question)).rowCount === 0) await delay(POLL_MS);
}
