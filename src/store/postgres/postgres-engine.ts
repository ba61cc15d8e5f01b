import { Pool, type PoolClient, type PoolConfig } from 'pg';

import {
  type Connection,
  type DatabaseSession,
  type Engine,
  type OnStoreEvent,
  type OnWrite,
  StoreError,
  watchWrite,
} from '../engine/engine';
import {
  Gatherer,
  GatheringConnection,
  isOfOneCall,
  tookTooLong,
  repeatUndone,
} from './gathering-connection';
import { Announcer, enter, enterAlone, listenForAnnouncements } from './notifications';
import { withoutGaps } from './pooler';
import {
  type CompiledStatements,
  endsConnection,
  PostgresConnection,
  postgresError,
  PostgresSession,
} from './postgres-connection';
import type { TimelinesFile } from './primaries';
import { CONNECT_TIMEOUT_MS } from './server-configs';
import { type Enter, ServerClient, Servers } from './servers';
import { type JobOutcome, JobToBeUndone, runTogether, type Work } from './shared-transaction';

interface Job {
  readonly work: Work<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** Ways of running transactions. */
interface Transactions {
  readonly alone: <T>(work: Work<T>) => Promise<T>;
  /** @throws JobToBeUndone, or the StoreError of a statement */
  readonly together: (works: readonly Work<unknown>[]) => Promise<readonly JobOutcome[]>;
}

/** Maximum number of jobs in one transaction: others wait for its locks. */
const MAX_JOBS = 64;

/**
 * Lets short writes of one turn of the event loop share a transaction, and with it the round trips and the
 * wait for the disk. If one of them fails, they are run again, each by itself.
 */
class ShortWrites {
  readonly #transactions: Transactions;
  readonly #jobs: Gatherer<Job>;

  /** @param maxAtOnce - maximum number of concurrent transactions; later writes wait for the next one */
  constructor(transactions: Transactions, maxAtOnce: number) {
    this.#transactions = transactions;
    this.#jobs = new Gatherer((jobs) => this.#run(jobs), MAX_JOBS, maxAtOnce);
  }

  write<T>(work: Work<T>): Promise<T> {
    // What the job is resolved with comes from its own work.
    return new Promise<unknown>((resolve, reject) => this.#jobs.add({ work, resolve, reject })) as Promise<T>;
  }

  async #run(jobs: readonly Job[]): Promise<unknown> {
    if (jobs.length > 1) {
      try {
        const outcomes = await this.#transactions.together(jobs.map(({ work }) => work));
        for (const [at, outcome] of outcomes.entries()) {
          if ('error' in outcome) jobs[at]?.reject(outcome.error);
          else jobs[at]?.resolve(outcome.result);
        }
        return undefined;
      } catch (error) {
        if (!(error instanceof JobToBeUndone) && !isOfOneCall(error)) {
          for (const job of jobs) job.reject(error);
          return error;
        }
      }
    }
    // One after the other, in order of arrival.
    let timeout: unknown;
    for (const { work, resolve, reject } of jobs) {
      if (timeout === undefined) {
        await this.#transactions.alone(work).then(resolve, (error: unknown) => {
          if (tookTooLong(error)) timeout = error;
          reject(error);
        });
      } else reject(timeout);
    }
    return timeout;
  }
}

/**
 * Maximum number of concurrent executions of the same write: one may wait for a lock or the disk, and the
 * rest are collected meanwhile.
 */
const MAX_WRITES = 2;
/**
 * Maximum number of concurrent transactions of short writes: with two, 16 to 25 of 64 callers shared one;
 * with one, 34 did (2026-11-23).
 */
const MAX_SHORT_WRITES = 1;
/**
 * Begins a short write. Every statement of it has an index: for a table analysed while small, the server
 * would choose a full scan and keep that plan for a minute or longer while the table grows. It waits for up
 * to three locks, one after the other, each for a third of the time that a statement has.
 */
const beginShort = (statementTimeoutMs: number): string =>
  `begin; set local enable_seqscan = off; set local lock_timeout = ${String(Math.ceil(statementTimeoutMs / 3))}`;
/** Fails on a standby, which answers reads, too. */
const WRITABLE = `select 1 where current_setting('transaction_read_only') = 'off'`;

/** A pool that lends no outdated connection. */
class ServerPool extends Pool {
  readonly #servers: Servers;

  constructor(servers: Servers, enter: Enter, options: PoolConfig) {
    const Member = class extends ServerClient {
      constructor() {
        super(servers, enter, options);
      }
    };
    super({ ...options, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, Client: Member });
    this.#servers = servers;
    this.on('acquire', (client) => {
      if (client instanceof ServerClient) servers.use(client);
    });
    // The driver passes null for no error.
    this.on('release', (error: unknown, client) => {
      if (!(client instanceof ServerClient)) return;
      servers.unuse(client, !error);
      const failure = error instanceof Error ? postgresError(error) : undefined;
      if (failure === undefined || !endsConnection(failure)) return;
      // A pooler drops the server's limit: the statement may still wait, and the server is not silent.
      if (failure.trouble === 'timeout' && servers.sharing.isShared) client.isLate = true;
      else servers.lost(client.generation);
    });
    this.on('error', (_error, client) => {
      if (client instanceof ServerClient) servers.lost(client.generation);
    });
  }

  override connect(): Promise<PoolClient>;
  override connect(
    callback: (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void,
  ): void;
  override connect(
    callback?: (error: Error | undefined, client: PoolClient | undefined, done: () => void) => void,
  ): Promise<PoolClient> | undefined {
    const lent = this.#servers.connect(() => this.#current());
    if (callback === undefined) return lent;
    // The form that the pool's own query() uses.
    lent.then(
      (client) => callback(undefined, client, () => undefined),
      (error: unknown) => callback(error as Error, undefined, () => undefined),
    );
    return undefined;
  }

  async #current(): Promise<PoolClient> {
    for (;;) {
      const client = await super.connect();
      if (!(client instanceof ServerClient) || client.generation === this.#servers.generation) return client;
      client.release(true);
    }
  }
}

interface PostgresOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly timelinesFile: TimelinesFile | undefined;
  readonly onEvent: OnStoreEvent;
  readonly onWrite: OnWrite;
}

/** Opens the engine for several nodes. Connections are opened when needed, and replaced when lost. */
export function openPostgres({
  url,
  poolSize,
  statementTimeoutMs,
  timelinesFile,
  onEvent,
  onWrite,
}: PostgresOptions): Engine {
  const servers = new Servers(url, { timelinesFile, onEvent });
  servers.watch();
  const openPool = (size: number): Pool => {
    const pool = new ServerPool(servers, enter, {
      max: size,
      statement_timeout: statementTimeoutMs,
    });
    pool.on('error', (error) => {
      const { trouble } = postgresError(error);
      onEvent({ level: 'warn', message: 'lost an idle connection to PostgreSQL', fields: { trouble } });
    });
    return pool;
  };
  const forWrites = Math.max(1, Math.floor(poolSize / 2));
  const pools = { writes: openPool(forWrites), reads: openPool(Math.max(1, poolSize - forWrites)) };
  return new PostgresEngine(pools, servers, beginShort(statementTimeoutMs), onWrite);
}

/**
 * Runs work on a database while this program has no other connection to it.
 *
 * @throws StoreError `locked` if there is another connection
 */
export function aloneOnPostgres<T>(url: string, work: (session: DatabaseSession) => Promise<T>): Promise<T> {
  return overClient(new Servers(url), enterAlone, work);
}

async function overClient<T>(
  servers: Servers,
  enterAs: Enter,
  work: (session: DatabaseSession) => Promise<T>,
): Promise<T> {
  const client = await servers.open(async (made, isShared) => {
    // A session whose commit failed leaves its temporary tables to the next one.
    if (isShared) await made.query('begin; discard temp');
    await enterAs(made, false);
  });
  const { isShared } = servers.sharing;
  servers.use(client);
  try {
    const result = await work(new PostgresSession(isShared ? withoutGaps(client) : client));
    if (isShared) await translated(client.query('commit; begin'));
    return result;
  } finally {
    servers.unuse(client, false);
    await client.end();
  }
}

/** Separate pools: writes occupy their connections while waiting for locks, and reads have their own. */
interface Pools {
  readonly writes: Pool;
  readonly reads: Pool;
}

class PostgresEngine implements Engine {
  readonly name = 'postgres';
  readonly direct: Connection;
  readonly reads: Connection;
  readonly #pools: Pools;
  readonly #servers: Servers;
  readonly #beginShort: string;
  readonly #compiled: CompiledStatements;
  readonly #announcer: Announcer;
  readonly #shortWrites: ShortWrites;
  readonly #onWrite: OnWrite;

  constructor(pools: Pools, servers: Servers, beginShort: string, onWrite: OnWrite) {
    this.#pools = pools;
    this.#servers = servers;
    this.#beginShort = beginShort;
    this.#compiled = { known: new Map(), sharing: servers.sharing };
    this.#onWrite = onWrite;
    const gathering = (pool: Pool, maxAtOnce: number) =>
      new GatheringConnection(new PostgresConnection(pool, this.#compiled), true, maxAtOnce, onWrite);
    this.direct = gathering(pools.writes, MAX_WRITES);
    // More would wait for a connection.
    this.reads = gathering(pools.reads, pools.reads.options.max);
    this.#shortWrites = new ShortWrites(
      {
        alone: (work) => this.#shortTransaction((client) => work(this.#over(client))),
        together: (works) => this.#shortTransaction((client) => runTogether(client, this.#compiled, works)),
      },
      MAX_SHORT_WRITES,
    );
    this.#announcer = new Announcer(pools.writes);
  }

  get server(): string | undefined {
    return this.#servers.name;
  }

  get secondPrimaries(): readonly string[] {
    return this.#servers.secondPrimaries;
  }

  write<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return watchWrite(this.#onWrite, () => this.#transact((client) => work(this.#over(client)), 'begin'));
  }

  #over(client: PoolClient): Connection {
    return new PostgresConnection(client, this.#compiled);
  }

  writeShort<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    return this.#shortWrites.write(work);
  }

  /** Repeats a transaction that PostgreSQL undid: short writes may run more than once. */
  #shortTransaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    return watchWrite(this.#onWrite, () => repeatUndone(() => this.#transact(work, this.#beginShort)));
  }

  async #transact<T>(work: (client: PoolClient) => Promise<T>, begin: string): Promise<T> {
    const client = await translated(this.#pools.writes.connect());
    let broken: StoreError | undefined;
    try {
      await translated(client.query(begin));
      const result = await work(client);
      const { command } = await translated(client.query('commit'));
      // PostgreSQL's answer if a statement failed and `work` swallowed the error.
      if (command === 'ROLLBACK') {
        throw new StoreError('failed', 'The transaction contains a failed statement.');
      }
      return result;
    } catch (error) {
      broken = await rollBack(client, error);
      throw error;
    } finally {
      client.release(broken);
    }
  }

  session<T>(work: (session: DatabaseSession) => Promise<T>): Promise<T> {
    return overClient(this.#servers, enter, work);
  }

  announce(topic: string): void {
    this.#announcer.announce(topic);
  }

  listen(onTopic: (topic: string) => void): () => Promise<void> {
    return listenForAnnouncements(this.#servers, onTopic);
  }

  async ping(): Promise<void> {
    const { rowCount } = await translated(this.#pools.reads.query(WRITABLE));
    if (rowCount !== 0) return;
    this.#servers.lost();
    throw new StoreError('read-only', 'PostgreSQL is read-only.');
  }

  async close(): Promise<void> {
    this.#servers.unwatch();
    await Promise.all([this.#pools.writes.end(), this.#pools.reads.end()]);
  }
}

async function translated<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw postgresError(error);
  }
}

/** @returns the reason why the connection is unusable, or undefined if it is fine */
async function rollBack(client: PoolClient, error: unknown): Promise<StoreError | undefined> {
  if (error instanceof StoreError && endsConnection(error)) return error;
  try {
    await client.query('rollback');
    return undefined;
  } catch (failure) {
    return postgresError(failure);
  }
}
