import { connect as connectTcp, isIP, type Socket } from 'node:net';

import type { Client, Dispatcher, Pool } from 'undici';

interface OldServerOptions {
  /** Its origin, such as `http://10.0.0.5:8080`. */
  readonly url: string;
  /** Maximum silence, in milliseconds. */
  readonly silenceMs: number;
  /** Maximum number of shared connections to it. */
  readonly connections: number;
}

const CONNECT_MS = 10_000;
/**
 * Time until an idle connection is closed, shorter than servers usually allow: if the server closes at the
 * moment of a request, it is unknown whether the request was read.
 */
const KEEP_ALIVE_MS = 4000;
/** A connection that belongs to a caller ends with the caller's. */
const OWN_KEEP_ALIVE_MS = 600_000;
/**
 * Matches credentials of a scheme that authenticates the whole connection, regardless of whose requests
 * follow. The scheme is a token (RFC 9110, section 11.4), so other characters may surround it.
 */
const LOG_IN_OF_CONNECTION = /^[^\w!#$%&'*+.^`|~-]*(?:NTLM|Negotiate|Kerberos)(?![\w!#$%&'*+.^`|~-])/i;

type Undici = Pick<typeof import('undici'), 'buildConnector' | 'Client' | 'Pool'>;

/** The old server, with a pool of connections to it. */
export class OldServer {
  readonly url: string;
  /** Maximum silence, in milliseconds. */
  readonly silenceMs: number;
  readonly #library: Undici;
  readonly #options: Client.Options;
  readonly #pool: Pool;
  /** Dedicated clients by the callers' connections. */
  readonly #own = new Map<Socket, Client>();

  private constructor(library: Undici, { url, silenceMs, connections }: OldServerOptions) {
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

  /** Prepares the client; connects later. */
  static async open(options: OldServerOptions): Promise<OldServer> {
    // undici is loaded only if there is an old server.
    return new OldServer(await import('undici'), options);
  }

  /**
   * Sends a request.
   *
   * @param socket the caller's connection
   * @param callerHeaders the caller's headers, names and values alternating
   * @throws Error for a request that is not valid HTTP/1.1
   */
  send(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
    socket: Socket,
    callerHeaders: readonly string[],
  ): void {
    const client = this.#clientFor(socket, callerHeaders);
    // TLS uses the name of OLD_URL, see the connector; a changing name would cost the connection.
    const unchanging: object = { servername: 'old' };
    client.dispatch({ ...options, ...unchanging }, handler);
  }

  /** Returns true if it accepts a connection. Sends nothing on it. */
  probe(): Promise<boolean> {
    const { protocol, hostname, port } = new URL(this.url);
    const socket = connectTcp({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      timeout: Math.min(CONNECT_MS, this.silenceMs),
    }).unref();
    return new Promise((resolve) => {
      const end = (isAccepting: boolean): void => {
        socket.destroy();
        resolve(isAccepting);
      };
      socket.once('connect', () => end(true));
      for (const event of ['error', 'timeout']) socket.once(event, () => end(false));
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool, ...this.#own.values()].map((each) => each.destroy()));
  }

  /**
   * Returns the client for a request. A connection on which a caller has logged in must not carry others'
   * requests.
   */
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

/** Checks all such headers of a request, because the old server may use any of them. */
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
  { buildConnector }: Undici,
  url: string,
  timeout: number,
): NonNullable<Client.Options['connect']> {
  const { host, hostname } = new URL(url);
  const name = hostname.replace(/^\[|\]$/g, '');
  const connect = buildConnector({ timeout });
  return (options, done) => {
    // TLS cannot request an IP address by name.
    connect({ ...options, host, hostname: name, servername: isIP(name) === 0 ? name : '' }, done);
  };
}
