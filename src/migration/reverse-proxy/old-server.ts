import { isIP, type Socket } from 'node:net';

import type { Client, Dispatcher, Pool } from 'undici';

interface OldServerOptions {
  /** Its origin, such as `http://10.0.0.5:8080`. */
  readonly url: string;
  /** Longest time it may say nothing, in milliseconds. */
  readonly silenceMs: number;
  /** Most connections to it, beside those that belong to one caller. */
  readonly connections: number;
}

const CONNECT_MS = 10_000;
/**
 * An idle connection is closed before servers usually do: a request that is written just when the server closes leaves
 * it open whether it was read.
 */
const KEEP_ALIVE_MS = 4000;
/** A connection that belongs to a caller ends with the caller's. */
const OWN_KEEP_ALIVE_MS = 600_000;
/**
 * Credentials of a scheme that logs in the rest of a connection, whoever's requests come over it. The scheme is a
 * token (RFC 9110, section 11.4): whatever is none may stand before and behind it.
 */
const LOG_IN_OF_CONNECTION = /^[^\w!#$%&'*+.^`|~-]*(?:NTLM|Negotiate|Kerberos)(?![\w!#$%&'*+.^`|~-])/i;

type Library = Pick<typeof import('undici'), 'buildConnector' | 'Client' | 'Pool'>;

/** The old server: connections to it are kept and used again. */
export class OldServer {
  readonly url: string;
  /** Longest time it may say nothing, in milliseconds. */
  readonly silenceMs: number;
  readonly #library: Library;
  readonly #options: Client.Options;
  readonly #pool: Pool;
  /** By the callers' connections. */
  readonly #own = new Map<Socket, Client>();

  private constructor(library: Library, { url, silenceMs, connections }: OldServerOptions) {
    this.url = url;
    this.silenceMs = silenceMs;
    this.#library = library;
    this.#options = {
      pipelining: 1,
      headersTimeout: silenceMs,
      bodyTimeout: silenceMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connect: connector(library, url, Math.min(CONNECT_MS, silenceMs)),
    };
    this.#pool = new library.Pool(url, { ...this.#options, connections });
  }

  /** Connects to nothing yet. */
  static async open(options: OldServerOptions): Promise<OldServer> {
    // Who has no old server does without loading it.
    return new OldServer(await import('undici'), options);
  }

  /**
   * Sends a request.
   *
   * @param socket the caller's connection
   * @param callerHeaders the caller's headers, names and values in turn
   * @throws Error for a request that cannot be written down as HTTP/1.1
   */
  send(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    socket: Socket,
    callerHeaders: readonly string[],
  ): void {
    const client = this.#clientFor(socket, callerHeaders);
    // TLS goes by the name of OLD_URL, see the connector; a name that changed would cost the connection.
    const unchanging: object = { servername: 'old' };
    client.dispatch({ ...options, ...unchanging }, handler);
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool, ...this.#own.values()].map((each) => each.destroy()));
  }

  /** Over a connection on which one caller has logged in, nobody else's requests may go. */
  #clientFor(socket: Socket, callerHeaders: readonly string[]): Dispatcher {
    const known = this.#own.size === 0 ? undefined : this.#own.get(socket);
    if (known !== undefined) return known;
    if (!logsInConnection(callerHeaders)) return this.#pool;
    const client = new this.#library.Client(this.url, {
      ...this.#options,
      keepAliveTimeout: OWN_KEEP_ALIVE_MS,
    });
    this.#own.set(socket, client);
    socket.once('close', () => {
      this.#own.delete(socket);
      void client.destroy();
    });
    return client;
  }
}

/** A request may have several such headers, and the old server reads which it likes. */
function logsInConnection(headers: readonly string[]): boolean {
  return headers.some(
    (name, index) =>
      index % 2 === 0 &&
      name.length === AUTHORIZATION.length &&
      name.toLowerCase() === AUTHORIZATION &&
      LOG_IN_OF_CONNECTION.test(headers[index + 1] ?? ''),
  );
}

const AUTHORIZATION = 'authorization';

/** Connects by the name of OLD_URL alone, whatever host a caller's request names. */
function connector(
  { buildConnector }: Library,
  url: string,
  timeout: number,
): NonNullable<Client.Options['connect']> {
  const { host, hostname } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const connect = buildConnector({ timeout });
  return (options, done) => {
    // An address is no name that TLS could ask for.
    connect({ ...options, host, hostname: name, servername: isIP(name) === 0 ? name : '' }, done);
  };
}
