import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';

import { endServer, listen, portOf } from '../ports';

/** Describes what a provider does with one request. */
export type Behaviour =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  /** Announces more than it sends, and closes the connection. */
  | { readonly cutAfter: string; readonly status: number }
  | 'never answers'
  | 'resets after reading'
  /** The connection ends as soon as something comes over it; the request does not count as received. */
  | 'resets before reading';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** Holds the body as it came. */
  readonly bytes: Buffer;
}

export const TAKEN: Behaviour = { status: 200, body: '{}' };

/** An HTTP server on the loopback address that stands for a provider, and for the one who gives access tokens. */
export class FakeProvider {
  /** Holds what it was asked, in order; without the requests for tokens. */
  readonly received: ReceivedRequest[] = [];
  /** Holds what it does with the next requests; then, and where there is none, it does `usual`. */
  readonly next: Behaviour[] = [];
  usual: Behaviour | ((request: ReceivedRequest) => Behaviour) = TAKEN;
  tokenAnswer: Behaviour = {
    status: 200,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ access_token: 'access-1', expires_in: 3600, token_type: 'Bearer' }),
  };
  tokensGiven = 0;
  readonly #scheme: string;
  readonly #server: Server;
  #onRequest: () => void = () => undefined;

  /** @param tls - key and certificate (PEM) of one that speaks TLS */
  constructor(tls?: { readonly key: string; readonly cert: string }) {
    const listener: RequestListener = (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method = '', url: path = '', headers } = request;
        const bytes = Buffer.concat(chunks);
        const behaviour = this.#behaviourFor({ method, path, headers, body: bytes.toString(), bytes });
        if (behaviour === 'never answers') return;
        if (behaviour === 'resets after reading' || behaviour === 'resets before reading') {
          request.socket.resetAndDestroy();
          return;
        }
        if ('cutAfter' in behaviour) {
          response.writeHead(behaviour.status, { 'Content-Length': '1000' });
          response.write(behaviour.cutAfter, () => request.socket.destroy());
          return;
        }
        response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body);
      });
    };
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#server.on('connection', (socket: Socket) => {
      this.#refuse(socket);
    });
  }

  /** Takes a connection away from the HTTP server, where nothing of its request is to be read. */
  #refuse(socket: Socket): void {
    if (this.next[0] !== 'resets before reading') return;
    this.next.shift();
    socket.removeAllListeners('data').once('data', () => socket.resetAndDestroy());
  }

  async start(): Promise<this> {
    await listen(this.#server);
    return this;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${String(portOf(this.#server))}`;
  }

  /** Resolves when so many requests were received. */
  async receives(count: number): Promise<readonly ReceivedRequest[]> {
    while (this.received.length < count) await new Promise<void>((done) => (this.#onRequest = done));
    return this.received;
  }

  async stop(): Promise<void> {
    await endServer(this.#server);
  }

  #behaviourFor(request: ReceivedRequest): Behaviour {
    if (request.path === '/token') {
      this.tokensGiven += 1;
      return this.tokenAnswer;
    }
    this.received.push(request);
    this.#onRequest();
    return this.next.shift() ?? (typeof this.usual === 'function' ? this.usual(request) : this.usual);
  }
}
