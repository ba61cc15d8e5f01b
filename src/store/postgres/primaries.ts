import { readFileSync } from 'node:fs';

import { type ClientBase, DatabaseError } from 'pg';

import { errorWord, systemErrorCode, tryTo } from '../../support/errors';
import { replaceFileSync } from '../../support/replace-file';
import { type OnStoreEvent, StoreError } from '../engine/engine';
import { endsConnection, postgresError } from './postgres-connection';

/*
 * Every promotion of a standby begins a new timeline, with a higher number. A former primary that returns
 * still has the lower one: what is written there is lost for everybody else.
 */

/** A server's own report of its role. */
export interface Position {
  /** The system identifier, which the standbys of a cluster share; empty if the user may not read it. */
  readonly cluster: string;
  /** Undefined on a standby. */
  readonly timeline: number | undefined;
  readonly acceptsWrites: boolean;
  /** When the server was started: two addresses may lead to the same one. */
  readonly startedAt: string;
}

interface PositionRow {
  readonly cluster: string | null;
  readonly wal: string | null;
  readonly writes: boolean;
  readonly started: string;
}

const CLUSTER = '(select system_identifier::text from pg_control_system())';
/**
 * The name of a file of the log begins with eight hexadecimal digits of the timeline. A standby has no
 * current file.
 */
const positionQuery = (cluster: string): string => `
  select ${cluster} as cluster, current_setting('transaction_read_only') = 'off' as writes,
    case when not pg_is_in_recovery() then pg_walfile_name(pg_current_wal_lsn()) end as wal,
    extract(epoch from pg_postmaster_start_time())::text as started`;
const DENIED = '42501';

/**
 * Returns a server's position; undefined if it does not have these functions.
 *
 * @throws the error of a lost connection
 */
export async function readPosition(client: Pick<ClientBase, 'query'>): Promise<Position | undefined> {
  for (const cluster of [CLUSTER, 'null::text']) {
    try {
      const { rows } = await client.query<PositionRow>(positionQuery(cluster));
      return rows[0] && toPosition(rows[0]);
    } catch (error) {
      if (!(error instanceof DatabaseError) || endsConnection(postgresError(error))) throw error;
      if (systemErrorCode(error) !== DENIED) return undefined;
    }
  }
  return undefined;
}

function toPosition({ cluster, wal, writes, started }: PositionRow): Position {
  return {
    cluster: cluster ?? '',
    timeline: wal === null ? undefined : Number.parseInt(wal.slice(0, 8), 16),
    acceptsWrites: writes,
    startedAt: started,
  };
}

/** A file that remembers the timelines, as JSON: numbers by system identifier. */
export interface TimelinesFile {
  readonly path: string;
  /** True for the service: a command of another user would leave a file that the service cannot read. */
  readonly isWritten: boolean;
}

/** The highest timeline seen of each cluster, also before this process started. */
export class Timelines {
  readonly #highest: Map<string, number>;
  readonly #file: TimelinesFile | undefined;
  readonly #onEvent: OnStoreEvent;

  constructor(file?: TimelinesFile, onEvent: OnStoreEvent = () => undefined) {
    this.#file = file;
    this.#onEvent = onEvent;
    this.#highest = new Map(this.#read());
  }

  get path(): string | undefined {
    return this.#file?.path;
  }

  highest(cluster: string): number {
    return this.#highest.get(cluster) ?? 0;
  }

  learn(cluster: string, timeline: number): void {
    if (timeline <= this.highest(cluster)) return;
    this.#highest.set(cluster, timeline);
    if (this.#file?.isWritten !== true) return;
    // Other processes of this node write the same file.
    for (const [other, known] of this.#read()) this.#highest.set(other, Math.max(known, this.highest(other)));
    try {
      replaceFileSync(this.#file.path, `${JSON.stringify(Object.fromEntries(this.#highest))}\n`);
    } catch (error) {
      this.#warn('could not remember the timeline of PostgreSQL', errorWord(error));
    }
  }

  #read(): readonly (readonly [string, number])[] {
    if (this.#file === undefined) return [];
    let text: string;
    try {
      text = readFileSync(this.#file.path, 'utf8');
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT')
        this.#warn('cannot read the timelines of PostgreSQL', errorWord(error));
      return [];
    }
    const content: unknown = tryTo((): unknown => JSON.parse(text));
    if (typeof content !== 'object' || content === null) {
      this.#warn('cannot read the timelines of PostgreSQL', 'not JSON');
      return [];
    }
    return Object.entries(content).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isSafeInteger(entry[1]),
    );
  }

  #warn(message: string, reason: string): void {
    this.#onEvent({ level: 'warn', message, fields: { file: this.#file?.path ?? '', reason } });
  }
}

/**
 * Knows which of the servers of a URL is the primary: the one that accepts writes on the highest timeline.
 */
export class Primaries {
  readonly #timelines: Timelines;
  /** The latest answers, by the server's name. */
  readonly #positions = new Map<string, Position>();

  constructor(timelines: Timelines) {
    this.#timelines = timelines;
  }

  /** Notes the position of a server; undefined if it does not answer, or cannot tell. */
  note(server: string, position: Position | undefined): void {
    if (position === undefined) this.#positions.delete(server);
    else {
      this.#positions.set(server, position);
      if (position.timeline !== undefined) this.#timelines.learn(position.cluster, position.timeline);
    }
  }

  /** Returns why a server must not be used, by its last position; undefined if it may. */
  refusal(server: string): StoreError | undefined {
    const { cluster, timeline } = this.#positions.get(server) ?? {};
    if (cluster === undefined || timeline === undefined) return undefined;
    const highest = this.#timelines.highest(cluster);
    if (timeline >= highest) return undefined;
    const { path } = this.#timelines;
    const unless =
      path === undefined ? '' : ` If you restored it from an older copy, delete ${path} and restart.`;
    return new StoreError(
      'read-only',
      `PostgreSQL is a former primary: its timeline is ${String(timeline)}, the primary’s is ${String(highest)}. ` +
        `Stop it and start the primary, see “Two primaries” in docs/several-nodes.md.${unless}`,
    );
  }

  /**
   * Returns the servers that accept writes although they are not the primary.
   *
   * @param inUse - name of the primary
   */
  second(inUse: string): readonly string[] {
    const primary = this.#positions.get(inUse);
    const isSecond = ([name, position]: readonly [string, Position]): boolean =>
      position.acceptsWrites &&
      (this.refusal(name) !== undefined ||
        (primary?.acceptsWrites === true && !isSameServer(position, primary)));
    return [...this.#positions].filter(isSecond).map(([name]) => name);
  }
}

function isSameServer(one: Position, other: Position): boolean {
  return one.cluster === other.cluster && one.startedAt === other.startedAt;
}
