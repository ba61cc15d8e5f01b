import { connect, type Socket } from 'node:net';

import { formatRequest, type RawRequest } from './raw-http-request';
import { parseResponse, type RawResponse } from './raw-http-response';

export { chunked, formatRequest, type RawRequest } from './raw-http-request';
export type { RawResponse } from './raw-http-response';

/** How long a read waits before it fails, in milliseconds. */
const READ_TIMEOUT = 10_000;

/**
 * A TCP connection that sends bytes exactly as given and reads responses one after the other, so that
 * requests which an HTTP library would mend or refuse reach the server as they are.
 */
export class RawConnection {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #ended = false;
  #onChange: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes]);
      this.#onChange();
    });
    const end = (): void => {
      this.#ended = true;
      this.#onChange();
    };
    // A server that refuses a request may reset the connection; what it answered before that still counts.
    socket.on('end', end).on('close', end).on('error', end);
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
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
    this.write(formatRequest(request, `127.0.0.1:${String(this.#socket.remotePort)}`));
  }

  /** Reads the next response, an interim one (1xx) too. `method` is that of the request it answers. */
  async read(method = 'GET'): Promise<RawResponse> {
    const { response, length } = await this.#until(`a response to ${method}`, () => {
      const parsed = parseResponse(this.#received, this.#ended, method === 'HEAD');
      if (parsed === undefined && this.#ended) throw new Error(this.#closedBefore('a whole response'));
      return parsed;
    });
    this.#received = this.#received.subarray(length);
    return response;
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
    return this.#until('the end of the connection', () => (this.#ended ? this.#received : undefined));
  }

  close(): void {
    this.#socket.destroy();
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
    return `Received so far: ${JSON.stringify(this.#received.toString('latin1', 0, 500))}`;
  }
}

/** Sends one request on a connection of its own and returns its final response. */
export async function exchange(port: number, request: RawRequest): Promise<RawResponse> {
  const connection = await RawConnection.open(port);
  try {
    connection.send(request);
    return await connection.readFinal(request.method);
  } finally {
    connection.close();
  }
}
