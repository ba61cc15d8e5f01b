import { once } from 'node:events';
import { connect } from 'node:net';

import { Client, type ClientBase, type ClientConfig } from 'pg';

import type { QueryRunner } from './postgres-connection';

/*
 * A pooler in transaction mode lends one of its connections to PostgreSQL for each transaction. What belongs
 * to a connection does not last then: prepared statements, temporary tables, locks of a session, `listen`.
 */

/** Comparisons of two connections: in between, other clients may use those of the pooler. */
const COMPARISONS = 5;

/** Knows whether connections are shared: whether there is a pooler in transaction mode before a server. */
export class Sharing {
  #isShared = false;
  /** Servers behind a pooler that lends a connection for as long as a client stays. */
  readonly #unshared = new Set<ClientConfig>();

  /** True from the first shared connection on. */
  get isShared(): boolean {
    return this.#isShared;
  }

  /** Forgets which servers do not share: a pooler may have another mode when connections to it are lost. */
  reset(): void {
    this.#unshared.clear();
  }

  /**
   * Examines a new connection to a pooler.
   *
   * @param config - opens another one to the same pooler
   * @returns true for the first shared connection
   */
  async examine(client: ClientBase, config: ClientConfig): Promise<boolean> {
    if (this.#isShared || this.#unshared.has(config)) return false;
    if (!(await areShared(client, config))) {
      this.#unshared.add(config);
      return false;
    }
    const isFirst = !this.#isShared;
    this.#isShared = true;
    return isFirst;
  }
}

/** Returns true if two clients of a pooler have the same server process, or one of them changes it. */
async function areShared(client: ClientBase, config: ClientConfig): Promise<boolean> {
  const other = new Client({ ...config, query_timeout: config.connectionTimeoutMillis });
  other.on('error', () => undefined);
  try {
    await other.connect();
    for (let left = COMPARISONS; left > 0; left -= 1) {
      const [before, between, after] = [
        await readBackendPid(client),
        await readBackendPid(other),
        await readBackendPid(client),
      ];
      if (before === between || before !== after) return true;
    }
    return false;
  } finally {
    void other.end().catch(() => undefined);
  }
}

async function readBackendPid(client: ClientBase): Promise<number | undefined> {
  const { rows } = await client.query<{ readonly pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid;
}

/**
 * Runs statements on a client with an open transaction so that one transaction follows the other without a
 * gap, and the pooler leaves the connection to it. The pooler closes a connection whose client ends in a
 * transaction.
 */
export function withoutGaps(client: QueryRunner): QueryRunner {
  return {
    query: (config, values) => client.query(typeof config === 'string' ? joined(config) : config, values),
  };
}

function joined(text: string): string {
  if (/^(?:begin|start transaction)\b/.test(text)) return `commit; ${text}`;
  return text === 'commit' || text === 'rollback' ? `${text}; begin` : text;
}

/** Key with which a client cancels its statements. */
export interface BackendKey {
  readonly processID: number;
  readonly secretKey: number;
}

/** Code of a cancel request in the place of a protocol version. */
const CANCEL_REQUEST = 80_877_102;

/**
 * Has the server end the statement of a client, which must stay connected until then: a pooler passes the
 * request on (https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-CANCELING-REQUESTS).
 * It needs no TLS, and has no answer. Does not throw.
 */
export async function cancelStatement(
  { host, port }: Client,
  { processID, secretKey }: BackendKey = { processID: 0, secretKey: 0 },
  withinMs: number,
): Promise<void> {
  const request = Buffer.alloc(16);
  for (const [at, part] of [16, CANCEL_REQUEST, processID, secretKey].entries())
    request.writeInt32BE(part, at * 4);
  const socket = connect(
    host.startsWith('/') ? { path: `${host}/.s.PGSQL.${String(port)}` } : { host, port },
  );
  socket.setTimeout(withinMs, () => socket.destroy());
  socket.write(request);
  await once(socket, 'close').catch(() => undefined);
  socket.destroy();
}
