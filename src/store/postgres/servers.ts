import { Client, type ClientBase, type ClientConfig, DatabaseError } from 'pg';

import { systemErrorCode } from '../../support/errors';
import type { SessionTarget } from '../../support/database-url';
import { singleFlight } from '../../support/single-flight';
import { type OnStoreEvent, StoreError } from '../engine/engine';
import { type BackendKey, cancelStatement, Sharing } from './pooler';
import { postgresError } from './postgres-connection';
import { type Position, Primaries, readPosition, Timelines, type TimelinesFile } from './primaries';
import { CONNECT_TIMEOUT_MS, type ServerConfig, serverConfigs } from './server-configs';

/** A connection in use for this time has its server probed, again and again, in seconds. */
const PROBE_SECONDS = 3;
/** Interval at which several servers are asked which of them is the primary, in milliseconds. */
const SURVEY_MS = 5000;
/** Time limit for each answer to that, in milliseconds: connections wait for the first survey. */
const SURVEY_WITHIN_MS = 2000;
/** Time to wait beyond the server's own limit before a silent connection is given up, in milliseconds. */
const SILENCE_MS = 3000;

/**
 * Registers a new connection with the database, or refuses it.
 *
 * @param isShared - true if it has another connection of a pooler for each transaction
 */
export type Enter = (client: ClientBase, isShared: boolean) => Promise<void>;

/** Conditions under which a server must not be used. */
const REFUSALS: Readonly<Record<SessionTarget, string>> = {
  any: 'false',
  'read-write': `current_setting('transaction_read_only') = 'on'`,
  primary: 'pg_is_in_recovery()',
};

interface ServersOptions {
  /** Remembers the highest timelines; default: only in memory. */
  readonly timelinesFile?: TimelinesFile | undefined;
  readonly onEvent?: OnStoreEvent;
  /**
   * Asks a server for its position over a connection of its own; default: undefined unless it answers in
   * time.
   */
  readonly ask?: (server: ServerConfig) => Promise<Position | undefined>;
}

/**
 * Holds the servers of a database URL and uses one of them. Every connection is opened here: one that cannot
 * be used makes the next server the one in use. When a connection is lost, all those opened before it are
 * outdated, because they may lead to a server that is gone or no longer the primary.
 */
export class Servers {
  readonly sharing = new Sharing();
  readonly #configs: readonly ServerConfig[];
  readonly #target: SessionTarget;
  /** The last failure of each server, by name. */
  readonly #failures = new Map<string, StoreError>();
  readonly #onLost = new Set<() => void>();
  /** Connections in use, each with the seconds since then or since its server was probed. */
  readonly #used = new Map<ServerClient, number>();
  /** One for all connections, since each statement takes one. */
  #seconds: NodeJS.Timeout | undefined;
  /** When each server last answered a statement. */
  readonly #answeredAt = new Map<ServerConfig, number>();
  readonly #primaries: Primaries;
  readonly #onEvent: OnStoreEvent;
  readonly #ask: NonNullable<ServersOptions['ask']>;
  /** Open connections. */
  readonly #connected = new Set<ServerClient>();
  /** The survey before the first connection of a generation is used. */
  #survey: { readonly generation: number; readonly end: Promise<void> } | undefined;
  #surveys: NodeJS.Timeout | undefined;
  #reported = '';
  #isProbing = false;
  #at = 0;
  #generation = 0;

  constructor(
    url: string,
    { timelinesFile, onEvent = () => undefined, ask = askPosition }: ServersOptions = {},
  ) {
    const { target, configs } = serverConfigs(url);
    this.#target = target;
    this.#configs = configs;
    this.#primaries = new Primaries(new Timelines(timelinesFile, onEvent));
    this.#onEvent = onEvent;
    this.#ask = ask;
  }

  get inUse(): ServerConfig {
    const config = this.#configs[this.#at];
    if (config === undefined) throw new RangeError('A database URL names at least one server.');
    return config;
  }

  /** Name of the server in use, if there are several. */
  get name(): string | undefined {
    return this.#configs.length > 1 ? this.inUse.name : undefined;
  }

  get generation(): number {
    return this.#generation;
  }

  /** Names of the servers that accept writes although they are not the primary. */
  get secondPrimaries(): readonly string[] {
    return this.#primaries.second(this.inUse.name);
  }

  /**
   * Runs `open`, again on the next server if the one in use cannot be used.
   *
   * @throws StoreError naming each server and its failure if none can be used; other errors of `open`
   * unchanged
   */
  async connect<T>(open: () => Promise<T>): Promise<T> {
    for (let left = this.#configs.length; ; left -= 1) {
      try {
        return await open();
      } catch (error) {
        if (!(error instanceof StoreError) || error.trouble === 'locked') throw error;
        if (left === 1) throw this.#summary(error);
      }
    }
  }

  /** Opens a dedicated connection. */
  open(enter: Enter): Promise<ServerClient> {
    return this.connect(async () => {
      const client = new ServerClient(this, enter, {});
      await client.connect();
      return client;
    });
  }

  /** @throws StoreError if the server is not of the kind that the URL asks for */
  async check(client: ServerClient): Promise<void> {
    const { rows } = await client.query<{ readonly refused: boolean; readonly pid: number }>(
      `select ${REFUSALS[this.#target]} as refused, pg_backend_pid() as pid`,
    );
    const [answer] = rows;
    if (answer?.refused === true) {
      throw new StoreError(
        'read-only',
        `PostgreSQL is ${this.#target === 'primary' ? 'a standby' : 'read-only'}.`,
      );
    }
    await this.#refuseFormer(client);
    // A pooler tells its clients a number of its own, and drops the limit of statements.
    if (answer?.pid === client.key?.processID) return;
    // Those opened before do not know.
    if (await this.sharing.examine(client, client.server.config)) this.lost();
    if (!this.sharing.isShared && client.limitMs > 0)
      await client.query(`set statement_timeout = ${String(client.limitMs)}`);
  }

  /**
   * Compares the timeline of a new connection's server with those of the other servers, and with the highest
   * remembered.
   *
   * @throws StoreError if it is a former primary
   */
  async #refuseFormer(client: ServerClient): Promise<void> {
    const { name } = client.server;
    this.#primaries.note(name, await readPosition(client));
    if (this.#survey?.generation !== this.#generation) {
      const others = this.#configs.filter((config) => config.name !== name);
      this.#survey = { generation: this.#generation, end: this.#surveyServers(others) };
    }
    await this.#survey.end;
    const refusal = this.#primaries.refusal(name);
    if (refusal !== undefined) throw refusal;
    this.#connected.add(client);
    client.once('end', () => this.#connected.delete(client));
  }

  async #surveyServers(configs: readonly ServerConfig[]): Promise<void> {
    await Promise.all(
      configs.map(async (config) => {
        this.#primaries.note(config.name, await this.#ask(config));
      }),
    );
  }

  /** Asks several servers again and again which of them is the primary, until `unwatch`. */
  watch(): void {
    if (this.#configs.length > 1) this.#surveys = setInterval(() => void this.survey(), SURVEY_MS).unref();
  }

  unwatch(): void {
    clearInterval(this.#surveys);
  }

  /**
   * Asks each server for its position, and cuts the connections to former primaries that it finds; one survey
   * at a time.
   */
  readonly survey = singleFlight(() => this.#askAll());

  async #askAll(): Promise<void> {
    await this.#surveyServers(this.#configs);
    for (const { server, connection } of this.#connected) {
      const refusal = this.#primaries.refusal(server.name);
      if (refusal === undefined) continue;
      this.failed(server, refusal);
      // The pool and the listener then give up all connections of this generation.
      connection.stream.destroy();
    }
    this.#report();
  }

  #report(): void {
    const second = this.secondPrimaries.join(', ');
    if (second === this.#reported) return;
    this.#reported = second;
    const fields = { primary: this.inUse.name };
    if (second === '')
      this.#onEvent({ level: 'info', message: 'only one PostgreSQL server accepts writes again', fields });
    else {
      const message = 'another PostgreSQL server accepts writes beside the primary';
      this.#onEvent({ level: 'error', message, fields: { ...fields, other: second } });
    }
  }

  /** Remembers the failure of a server, and goes on to the next one if it is the one in use. */
  failed({ name }: ServerConfig, failure: StoreError): void {
    this.#failures.set(name, failure);
    if (failure.trouble === 'unavailable') this.#primaries.note(name, undefined);
    if (this.inUse.name === name) this.#at = (this.#at + 1) % this.#configs.length;
  }

  /** Makes the connections of a generation and of those before it outdated. */
  lost(generation = this.#generation): void {
    if (generation !== this.#generation) return;
    this.#generation += 1;
    this.sharing.reset();
    for (const tell of this.#onLost) tell();
  }

  /** Calls `tell` whenever connections become outdated. @returns a function that ends this */
  onLost(tell: () => void): () => void {
    this.#onLost.add(tell);
    return () => this.#onLost.delete(tell);
  }

  /** Probes the server of a connection from time to time until `unuse`. */
  use(client: ServerClient): void {
    this.#used.set(client, 0);
    this.#seconds ??= setInterval(() => this.#countSecond(), 1000).unref();
  }

  /** @param isAnswered - true if the server answered the last statement */
  unuse(client: ServerClient, isAnswered: boolean): void {
    this.#used.delete(client);
    if (isAnswered) this.#answeredAt.set(client.server, performance.now());
  }

  #countSecond(): void {
    if (this.#used.size === 0) {
      clearInterval(this.#seconds);
      this.#seconds = undefined;
    }
    for (const [client, seconds] of this.#used) {
      const isDue = seconds + 1 >= PROBE_SECONDS;
      this.#used.set(client, isDue ? 0 : seconds + 1);
      if (isDue) void this.#probe(client.server);
    }
  }

  /**
   * Cuts the connections to a server that is silent: it answers neither a new connection nor any statement
   * within the limit. One that is slow, or where statements wait for a lock, answers the new connection.
   */
  async #probe(server: ServerConfig): Promise<void> {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const start = performance.now();
    const limits = { connectionTimeoutMillis: CONNECT_TIMEOUT_MS, query_timeout: CONNECT_TIMEOUT_MS };
    const client = new Client({ ...server.config, ...limits });
    client.on('error', () => undefined);
    try {
      await client.connect();
      // A pooler accepts connections itself.
      await client.query('select 1');
    } catch (error) {
      if (error instanceof DatabaseError || (this.#answeredAt.get(server) ?? 0) > start) return;
      this.failed(server, postgresError(error));
      this.lost();
      for (const used of this.#used.keys()) if (used.server === server) used.connection.stream.destroy();
    } finally {
      this.#isProbing = false;
      void client.end().catch(() => undefined);
    }
  }

  #summary(last: StoreError): StoreError {
    if (this.#configs.length === 1) return last;
    const failures = this.#configs.map(({ name }) => ({ name, failure: this.#failures.get(name) ?? last }));
    const reasons = failures.map(({ name, failure }) => {
      const code = systemErrorCode(failure.cause);
      return `${name}: ${failure.message.replace(/\.$/, '')}${code === undefined ? '' : ` (${code})`}`;
    });
    const isReadOnly = failures.every(({ failure }) => failure.trouble === 'read-only');
    return new StoreError(
      isReadOnly ? 'read-only' : 'unavailable',
      `No PostgreSQL server can be used. ${reasons.join('; ')}.`,
    );
  }
}

/** A connection to the server in use at the time when it is made. */
export class ServerClient extends Client {
  readonly generation: number;
  readonly server: ServerConfig;
  /** Time limit of a statement, in milliseconds; 0 for none. */
  readonly limitMs: number;
  /** As sent when connecting. */
  key: BackendKey | undefined;
  /** True if a statement was given up that the server may still run. */
  isLate = false;
  readonly #servers: Servers;
  readonly #enter: Enter;

  constructor(servers: Servers, enter: Enter, options: ClientConfig) {
    const server = servers.inUse;
    const limitMs = options.statement_timeout === false ? 0 : (options.statement_timeout ?? 0);
    // A shared connection has no limit in the server.
    const silenceMs = servers.sharing.isShared ? 0 : SILENCE_MS;
    super({ ...options, ...server.config, ...(limitMs > 0 && { query_timeout: limitMs + silenceMs }) });
    this.limitMs = limitMs;
    // A lost connection emits 'error' also while idle or lent out, and an unhandled one ends the process. The
    // statement that runs fails with it.
    this.on('error', () => undefined);
    this.connection.once('backendKeyData', (key: BackendKey) => {
      this.key = key;
    });
    this.generation = servers.generation;
    this.#servers = servers;
    this.server = server;
    this.#enter = enter;
  }

  override connect(): Promise<Client>;
  override connect(callback: (error: Error) => void): void;
  override connect(callback?: (error: Error) => void): Promise<Client> | undefined {
    const opened = this.#open();
    if (callback === undefined) return opened;
    // The pool's form, called without an error when the connection is open.
    opened.then(() => (callback as () => void)(), callback);
    return undefined;
  }

  override end(): Promise<void>;
  override end(callback: (error: Error) => void): void;
  override end(callback?: (error: Error) => void): Promise<void> | undefined {
    // The pool's form; others give up no statement.
    if (callback === undefined) return super.end();
    if (!this.isLate) super.end(callback);
    else void cancelStatement(this, this.key, CONNECT_TIMEOUT_MS).then(() => super.end(callback));
    return undefined;
  }

  /** @throws StoreError */
  async #open(): Promise<Client> {
    try {
      await super.connect();
      await this.#servers.check(this);
      await this.#enter(this, this.#servers.sharing.isShared);
      return this;
    } catch (error) {
      const failure = postgresError(error);
      if (failure.trouble !== 'locked') this.#servers.failed(this.server, failure);
      void super.end().catch(() => undefined);
      throw failure;
    }
  }
}

/** Returns undefined for a server that does not answer: the next attempt to use it reports that. */
async function askPosition({ config }: ServerConfig): Promise<Position | undefined> {
  const limits = { connectionTimeoutMillis: SURVEY_WITHIN_MS, query_timeout: SURVEY_WITHIN_MS };
  const client = new Client({ ...config, ...limits });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await readPosition(client);
  } catch {
    return undefined;
  } finally {
    void client.end().catch(() => undefined);
  }
}
