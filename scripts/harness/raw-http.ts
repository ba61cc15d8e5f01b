import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

import { formatRequest, type RawRequest } from './raw-request';
import { type RawResponse, ResponseReader } from './raw-response';

/** How long a read waits for a server that hangs, in milliseconds; a busy machine has kept one waiting for ten seconds. */
const READ_TIMEOUT = 60_000;

/**
 * A TCP connection that sends bytes exactly as given and reads responses one after the other, so that
 * requests which an HTTP library would mend or refuse reach the server as they are.
 */
export class RawConnection {
  readonly #socket: Socket;
  readonly #reader = new ResponseReader();
  #ended = false;
  #onChange: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => {
      this.#reader.add(bytes);
      this.#onChange();
    });
    const end = (): void => {
      this.#ended = true;
      this.#onChange();
    };
    // A server that refuses a request may reset the connection; what it answered before that still counts.
    socket.on('end', end).on('close', end).on('error', end);
  }

  /** @param tls - how TLS is to be spoken; undefined for plain HTTP */
  static async open(port: number, tls?: ConnectionOptions): Promise<RawConnection> {
    const where = { port, host: '127.0.0.1', noDelay: true };
    const socket = tls === undefined ? connect(where) : connectTls({ ...tls, ...where });
    await new Promise<void>((resolve, reject) => {
      socket.once(tls === undefined ? 'connect' : 'secureConnect', resolve).once('error', reject);
    });
    return new RawConnection(socket);
  }

  /** Sends bytes; a string goes out as UTF-8. */
  write(bytes: string | Uint8Array): void {
    if (!this.#socket.destroyed) this.#socket.write(bytes);
  }

  /** Says that nothing more will be sent. */
  endWriting(): void {
    this.#socket.end();
  }

  /** Sends a request with this connection's Host, Content-Length and `Connection: close` where it has none. */
  send(request: RawRequest): void {
    this.write(formatRequest(request, hostOf(this.#socket.remotePort)));
  }

  /** Reads the next response, an interim one (1xx) too. `method` is that of the request it answers. */
  async read(method = 'GET'): Promise<RawResponse> {
    return this.#until(`a response to ${method}`, () => {
      const response = this.#reader.take(this.#ended, method === 'HEAD');
      if (response === undefined && this.#ended) throw new Error(this.#closedBefore('a whole response'));
      return response;
    });
  }

  /** Reads the next final response, passing over interim ones. */
  async readFinal(method = 'GET'): Promise<RawResponse> {
    for (;;) {
      const response = await this.read(method);
      if (response.status >= 200) return response;
    }
  }

  /** Waits until the server has closed the connection and returns what it sent beyond the responses read. */
  async readUntilClosed(): Promise<Buffer> {
    return this.#until('the end of the connection', () => (this.#ended ? this.#reader.rest : undefined));
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Ends the connection so that the server sees that nothing is read any more; it is not one over TLS. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  async #until<T>(what: string, attempt: () => T | undefined): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        timer = setTimeout(() => {
          reject(new Error(`No ${what} within ${String(READ_TIMEOUT)} ms. ${this.#receivedSoFar()}`));
        }, READ_TIMEOUT);
        this.#onChange = () => {
          try {
            const result = attempt();
            if (result !== undefined) resolve(result);
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
          }
        };
        this.#onChange();
      });
    } finally {
      clearTimeout(timer);
      this.#onChange = () => undefined;
    }
  }

  #closedBefore(what: string): string {
    return `The server closed the connection before ${what}. ${this.#receivedSoFar()}`;
  }

  #receivedSoFar(): string {
    return `Received so far: ${JSON.stringify(this.#reader.rest.toString('latin1', 0, 500))}`;
  }
}

/** Opens a connection for one use, and closes it whatever happens. */
export async function withConnection<T>(
  port: number,
  use: (connection: RawConnection) => Promise<T>,
  tls?: ConnectionOptions,
): Promise<T> {
  const connection = await RawConnection.open(port, tls);
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}

/** Sends one request on a connection of its own and returns its final response. */
export function exchange(port: number, request: RawRequest, tls?: ConnectionOptions): Promise<RawResponse> {
  return withConnection(
    port,
    (connection) => {
      connection.send(request);
      return connection.readFinal(request.method);
    },
    tls,
  );
}

/** Sends one request after the other, over one connection for as long as the server keeps it. */
export class RawClient {
  readonly #port: number;
  #connection: RawConnection | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** @throws Error when the server takes no connection */
  async connection(): Promise<RawConnection> {
    return (this.#connection ??= await RawConnection.open(this.#port));
  }

  /** @param request - bytes that do not ask for the end of the connection, or what is written so */
  async ask(request: string | Uint8Array | RawRequest): Promise<RawResponse> {
    const connection = await this.connection();
    const isWritten = typeof request === 'string' || request instanceof Uint8Array;
    const bytes = isWritten ? request : formatRequest({ ...request, keepAlive: true }, hostOf(this.#port));
    try {
      connection.write(bytes);
      const response = await connection.readFinal();
      if (/\r\nconnection: *close/i.test(response.head)) this.close();
      return response;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

function hostOf(port: number | undefined): string {
  return `127.0.0.1:${String(port)}`;
}

/** Lets callers make calls at the same time, each one call after the other, until there is no next one. */
export async function callAtOnce<Caller, Call>(
  callers: readonly Caller[],
  calls: Iterable<Call>,
  make: (caller: Caller, call: Call) => Promise<void>,
): Promise<void> {
  const waiting = calls[Symbol.iterator]();
  const callOn = async (caller: Caller): Promise<void> => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) await make(caller, next.value);
  };
  await Promise.all(callers.map(callOn));
}
