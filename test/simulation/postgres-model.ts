import type { CompiledQuery, QueryResult } from 'kysely';

import { type Connection, StoreError } from '../../src/store/engine/engine';
import { compileStatement, type HotStatement, type SqlValue } from '../../src/store/engine/hot-statement';
import type { DatabaseSyncInstance, StatementSyncInstance } from '../../src/store/sqlite/library';
import { kyselyOver } from './kysely-over';
import { oneByOne } from './one-by-one';
import { SimulatedEngine } from './simulated-engine';
import type { Host, VirtualTime } from './virtual-time';

interface Executed {
  readonly rows: readonly unknown[];
  readonly changes: number;
}

interface Prepared {
  readonly statement: StatementSyncInstance;
  readonly returnsRows: boolean;
}

/** The parts of a claim: what is changed, which rows are chosen, how, and what comes back. */
interface ClaimText {
  readonly update: string;
  readonly select: string;
  readonly locks: boolean;
  readonly skips: boolean;
  readonly returning: string;
}

interface Call {
  readonly text: string;
  readonly values: readonly SqlValue[];
  readonly asArrays: boolean;
}

/** The world in which the model stands. */
interface ModelledWorld {
  readonly time: VirtualTime;
  readonly host: Host;
  /** Called where the model cannot run a statement: those who asked would take it for one of many failures. */
  readonly failed: (error: unknown) => void;
}

/** A transaction in progress: what it wrote so far, seen by itself alone. */
class ModelTransaction {
  readonly written: Call[] = [];
  readonly onEnd: (() => void)[] = [];
  hasEnded = false;

  /** After it has waited: nothing is done, and above all nothing locked, for one whose process is gone meanwhile. */
  check(): void {
    if (this.hasEnded) throw new StoreError('unavailable', 'The transaction was rolled back meanwhile.');
  }
}

/** PostgreSQL gives a statement up that waits for a lock for so long. */
const LOCK_WAIT_MS = 10_000;
const ADVISORY_LOCK = /^select pg_advisory_xact_lock(_shared)?\(/;
const CLAIM = /^(.*)where id = any\(array\((.*?)( for update( skip locked)?)?\)\)(\s+returning .*)$/s;
/** Between the moment in which PostgreSQL has chosen rows and that in which it changes them. */
const CHANGE_MS = 3;

/**
 * The engine's statements for PostgreSQL, on SQLite in memory: transactions run at once, at the level "read
 * committed". Each keeps what it wrote to itself, runs every statement on what is committed by then with its own
 * writes on top, and writes it all when it commits. Rows that another has changed are waited for, or passed over
 * with SKIP LOCKED; advisory locks are the real ones' twins.
 */
export class PostgresModel extends SimulatedEngine {
  readonly name = 'postgres';
  readonly direct: Connection;
  readonly #database: DatabaseSyncInstance;
  readonly #prepared: Readonly<Record<'arrays' | 'objects', Map<string, Prepared>>> = {
    arrays: new Map(),
    objects: new Map(),
  };
  readonly #rowLocks = new Map<string, ModelTransaction>();
  readonly #advisoryLocks = new Map<string, Map<ModelTransaction, 'alone' | 'shared'>>();
  readonly #compiled = new Map<unknown, ReturnType<typeof compileStatement>>();
  readonly #claims = new Map<string, ClaimText | undefined>();
  #world: ModelledWorld | undefined;

  constructor(database: DatabaseSyncInstance) {
    super();
    this.#database = database;
    this.direct = this.#connection((call) =>
      this.#inTransaction((transaction) => this.#run(transaction, call)),
    );
  }

  /** Begins a new world: nobody is left of the one before. */
  enter(world: ModelledWorld): void {
    this.#world = world;
    this.#rowLocks.clear();
    this.#advisoryLocks.clear();
  }

  write<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#inTransaction((transaction) =>
      work(this.#connection((call) => this.#run(transaction, call))),
    );
  }

  override close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }

  async #inTransaction<T>(work: (transaction: ModelTransaction) => Promise<T>): Promise<T> {
    const transaction = new ModelTransaction();
    try {
      const result = await work(transaction);
      if (transaction.written.length > 0) this.#withWritesOf(transaction, 'commit', () => undefined);
      return result;
    } finally {
      this.#end(transaction);
    }
  }

  #end(transaction: ModelTransaction): void {
    transaction.hasEnded = true;
    for (const [row, holder] of this.#rowLocks) if (holder === transaction) this.#rowLocks.delete(row);
    for (const holders of this.#advisoryLocks.values()) holders.delete(transaction);
    for (const resume of transaction.onEnd) this.#world?.time.schedule(this.#world.host, 0, resume);
  }

  #connection(run: (call: Call) => Promise<Executed>): Connection {
    const kysely = kyselyOver(async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const values = parameters as readonly SqlValue[]; // Only texts, numbers and null are stored.
      const { rows, changes } = await run({ text: sql, values, asArrays: false });
      // What a statement selects is known to the query that was compiled.
      return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
    });
    return oneByOne({
      engine: 'postgres',
      kysely,
      rows: async <Values, Row extends readonly SqlValue[]>(
        hot: HotStatement<Values, Row>,
        given: Values,
      ) => {
        const compiled = this.#compiled.get(hot) ?? compileStatement(hot, kysely);
        this.#compiled.set(hot, compiled);
        const values = compiled.bind(given);
        // The statement's own type says what its rows hold.
        return (await run({ text: compiled.text, values, asArrays: true })).rows as readonly Row[];
      },
    });
  }

  async #run(transaction: ModelTransaction, call: Call): Promise<Executed> {
    const advisory = ADVISORY_LOCK.exec(call.text);
    if (advisory !== null) {
      const way = advisory[1] === undefined ? 'alone' : 'shared';
      for (const name of call.values) await this.#takeAdvisory(transaction, String(name), way);
      return { rows: [], changes: 0 };
    }
    const claim = this.#claimText(call.text);
    if (claim !== undefined) return this.#claim(transaction, call, claim);
    if (!/^(update|insert|delete)/.test(call.text)) {
      if (transaction.written.length === 0) return this.#execute(call);
      return this.#withWritesOf(transaction, 'rollback', () => this.#execute(call));
    }
    for (;;) {
      const executed = this.#withWritesOf(transaction, 'rollback', () => this.#execute(call));
      const rows = changedRows(call, executed);
      const holder = this.#otherHolder(transaction, rows);
      if (holder === undefined) {
        for (const row of rows) this.#rowLocks.set(row, transaction);
        // What has found no row does not find those that come until it is run again, at the commit.
        if (executed.rows.length > 0 || executed.changes > 0) transaction.written.push(call);
        return executed;
      }
      await this.#endOf(holder, transaction);
    }
  }

  #claimText(text: string): ClaimText | undefined {
    if (!this.#claims.has(text)) {
      const [, update = '', select = '', locks, skips, returning = ''] = CLAIM.exec(text) ?? [];
      const claim = { update, select, locks: locks !== undefined, skips: skips !== undefined, returning };
      this.#claims.set(text, update === '' ? undefined : claim);
    }
    return this.#claims.get(text);
  }

  /** First the rows are chosen, and locked where the statement says so; then they are changed. */
  async #claim(
    transaction: ModelTransaction,
    { text, values, asArrays }: Call,
    { update, select, locks, skips, returning }: ClaimText,
  ): Promise<Executed> {
    const placesBefore = update.split('?').length - 1;
    const placesOfSelect = select.split('?').length - 1;
    const selectValues = values.slice(placesBefore, placesBefore + placesOfSelect);
    if (text.split('?').length - 1 !== values.length)
      throw new Error('The claim has other places than values');
    const limit = Number(selectValues.at(-1));
    const due = (): readonly string[] => {
      const all = [...selectValues.slice(0, -1), limit + (skips ? this.#rowLocks.size : 0)];
      const { rows } = this.#execute({ text: select, values: all, asArrays: true });
      return (rows as readonly (readonly [string])[]).map(([id]) => id);
    };
    let chosen = due();
    if (skips) {
      chosen = chosen.filter((id) => this.#otherHolder(transaction, [id]) === undefined).slice(0, limit);
    } else if (locks) {
      await this.#allFree(transaction, chosen);
      const still = due();
      chosen = chosen.filter((id) => still.includes(id));
    }
    if (locks) for (const id of chosen) this.#rowLocks.set(id, transaction);
    if (chosen.length === 0) return { rows: [], changes: 0 };

    const { time, host } = this.#inWorld();
    await new Promise<void>((resume) => {
      time.schedule(host, time.random.below(CHANGE_MS), resume);
    });
    transaction.check();
    await this.#allFree(transaction, chosen);
    for (const id of chosen) this.#rowLocks.set(id, transaction);
    const change = {
      text: `${update}where id in (${chosen.map(() => '?').join(', ')})${returning}`,
      values: [...values.slice(0, placesBefore), ...chosen],
      asArrays,
    };
    transaction.written.push(change);
    return this.#withWritesOf({ written: transaction.written.slice(0, -1) }, 'rollback', () =>
      this.#execute(change),
    );
  }

  async #takeAdvisory(transaction: ModelTransaction, name: string, way: 'alone' | 'shared'): Promise<void> {
    for (;;) {
      const holders = this.#advisoryLocks.get(name) ?? new Map<ModelTransaction, 'alone' | 'shared'>();
      this.#advisoryLocks.set(name, holders);
      const other = [...holders].find(
        ([holder, held]) => holder !== transaction && (way === 'alone' || held === 'alone'),
      );
      if (other === undefined) {
        holders.set(transaction, way);
        return;
      }
      await this.#endOf(other[0], transaction);
    }
  }

  async #allFree(transaction: ModelTransaction, rows: readonly string[]): Promise<void> {
    for (;;) {
      const holder = this.#otherHolder(transaction, rows);
      if (holder === undefined) return;
      await this.#endOf(holder, transaction);
    }
  }

  #otherHolder(transaction: ModelTransaction, rows: readonly string[]): ModelTransaction | undefined {
    return rows
      .map((row) => this.#rowLocks.get(row))
      .find((holder) => ![undefined, transaction].includes(holder));
  }

  /** @throws StoreError when the wait takes longer than a statement may */
  async #endOf(holder: ModelTransaction, waiting: ModelTransaction): Promise<void> {
    const { time, host } = this.#inWorld();
    await new Promise<void>((resume, reject) => {
      const callOff = time.schedule(host, LOCK_WAIT_MS, () => {
        reject(new StoreError('timeout', 'The statement waited for a lock for too long.'));
      });
      holder.onEnd.push(() => {
        callOff();
        resume();
      });
    });
    waiting.check();
  }

  #withWritesOf<T>(
    { written }: Pick<ModelTransaction, 'written'>,
    end: 'commit' | 'rollback',
    work: () => T,
  ): T {
    this.#database.exec('begin');
    try {
      for (const call of written) this.#execute(call);
      const result = work();
      this.#database.exec(end);
      return result;
    } catch (error) {
      this.#database.exec('rollback');
      throw error;
    }
  }

  #execute({ text, values, asArrays }: Call): Executed {
    try {
      const { statement, returnsRows } = this.#prepare(text, asArrays);
      if (returnsRows) return { rows: statement.all(...values), changes: 0 };
      return { rows: [], changes: statement.run(...values).changes };
    } catch (error) {
      this.#world?.failed(error);
      throw error;
    }
  }

  #prepare(text: string, asArrays: boolean): Prepared {
    const prepared = this.#prepared[asArrays ? 'arrays' : 'objects'];
    const known = prepared.get(text);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(text);
    statement.setReturnArrays(asArrays);
    const made = { statement, returnsRows: statement.columns().length > 0 };
    prepared.set(text, made);
    return made;
  }

  #inWorld(): ModelledWorld {
    if (this.#world === undefined) throw new Error('There is no world yet');
    return this.#world;
  }
}

/** Returns the locks of a statement that others could want: messages by their id, and the count of a day. */
function changedRows({ text, values }: Call, { rows }: Executed): readonly string[] {
  if (text.startsWith('insert into caller_codes'))
    return [`day ${String(values[0])} of ${String(values[1])}`];
  if (!text.startsWith('update messages')) return [];
  return rows.map((row) => String(Array.isArray(row) ? row[0] : ''));
}
