import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

/** Passes connections on to targets, one after the other, and can break all of them at once. */
export class TcpProxy {
  readonly #targets: readonly TcpTarget[];
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  #next = 0;

  constructor(targets: readonly TcpTarget[]) {
    this.#targets = targets;
  }

  get port(): number {
    return this.#port;
  }

  /** Accepts connections, the second time on the same port as the first. */
  async open(): Promise<void> {
    const server = createServer((client) => {
      this.#pass(client);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#server = server;
    // A listening TCP server has an address of this kind.
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Breaks every connection and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #pass(client: Socket): void {
    const target = this.#targets[this.#next++ % this.#targets.length];
    if (target === undefined) throw new Error('The proxy has no target');
    const upstream = connect(target);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.#sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }
}
