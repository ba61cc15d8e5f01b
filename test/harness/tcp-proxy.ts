import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpTarget {
  readonly host: string;
  readonly port: number;
}

/** Passes connections on to its targets in turn, past those that refuse, and can break all of them at once. */
export class TcpProxy {
  #targets: readonly TcpTarget[];
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  #next = 0;
  #stalled = false;

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

  /** Passes new connections on to other targets; those that there are stay where they are. */
  aim(targets: readonly TcpTarget[]): void {
    this.#targets = targets;
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

  /** Holds back all that arrives, on new connections too, until it is released. */
  stall(): void {
    this.#stalled = true;
    for (const socket of this.#sockets) socket.pause();
  }

  goOn(): void {
    this.#stalled = false;
    for (const socket of this.#sockets) socket.resume();
  }

  #pass(client: Socket): void {
    this.#hold(client);
    this.#reach(client, this.#targets.length);
  }

  /** Connects the client to the next target that accepts it. */
  #reach(client: Socket, tries: number): void {
    const target = this.#targets[this.#next++ % this.#targets.length];
    if (target === undefined || tries === 0) {
      client.destroy();
      return;
    }
    const upstream = this.#hold(connect(target));
    const nextTarget = (): void => {
      this.#reach(client, tries - 1);
    };
    upstream.once('error', nextTarget);
    upstream.once('connect', () => {
      upstream.off('error', nextTarget);
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
      client.pipe(upstream).pipe(client);
      if (this.#stalled) this.stall();
    });
  }

  /** Keeps a socket where cut() finds it; its errors show as its end. */
  #hold(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    return socket;
  }
}
