import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';

import { listen, endServer, portOf } from '../../scripts/harness';

/** Describes what a proxy was asked for. */
export interface Passage {
  readonly method: string;
  /** `host:port` of a tunnel, or the whole URL. */
  readonly target: string;
  readonly authorization: string | undefined;
}

/** An HTTP proxy on the loopback address that knows where the hosts are whose names nobody else resolves. */
export class FakeProxy {
  readonly passages: Passage[] = [];
  /** Holds what it answers instead of letting anything through. */
  refusal: number | undefined;
  readonly #server: Server;
  readonly #hosts: ReadonlyMap<string, string>;
  readonly #sockets = new Set<Socket>();

  /** @param hosts - by `host:port` the URL of the server that stands for it */
  constructor(hosts: Readonly<Record<string, string>>) {
    this.#hosts = new Map(Object.entries(hosts));
    this.#server = createServer((incoming, response) => {
      this.#note(incoming);
      const to = this.#urlFor(incoming.url ?? '');
      if (this.refusal !== undefined || to === undefined) {
        response.writeHead(this.refusal ?? 502).end();
        return;
      }
      const { method } = incoming;
      // What is meant for the proxy goes no further (RFC 9110, 11.7.1).
      const headers = { ...incoming.headers };
      delete headers['proxy-authorization'];
      const passed = request(to, { method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      incoming.pipe(passed);
    });
    this.#server.on('connect', (incoming: IncomingMessage, client: Socket) => {
      this.#note(incoming);
      const to = this.#urlFor(`http://${incoming.url ?? ''}/`);
      if (this.refusal !== undefined || to === undefined) {
        client.end(`HTTP/1.1 ${String(this.refusal ?? 502)} Refused\r\nContent-Length: 0\r\n\r\n`);
        return;
      }
      const server = connect(Number(to.port), to.hostname, () => {
        client.write('HTTP/1.1 200 Connection established\r\n\r\n');
        client.pipe(server).pipe(client);
      });
      for (const socket of [client, server]) socket.on('error', () => socket.destroy());
      this.#sockets.add(server);
    });
    this.#server.on('connection', (socket) => this.#sockets.add(socket));
  }

  async start(): Promise<this> {
    await listen(this.#server);
    return this;
  }

  /** @param credentials - `user:password`, percent-encoded */
  url(credentials = ''): string {
    return `http://${credentials === '' ? '' : `${credentials}@`}127.0.0.1:${String(portOf(this.#server))}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await endServer(this.#server);
  }

  #note({ method = '', url = '', headers }: IncomingMessage): void {
    this.passages.push({ method, target: url, authorization: headers['proxy-authorization'] });
  }

  #urlFor(target: string): URL | undefined {
    const { hostname, port, pathname, search } = new URL(target);
    const server = this.#hosts.get(`${hostname}:${port || '80'}`);
    return server === undefined ? undefined : new URL(`${pathname}${search}`, server);
  }
}
