import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';

import { isInHandshake, socketUnder } from '../asmx/internal';
import { OperatorError, systemErrorCode } from '../support/errors';

const SWEEP_INTERVAL_MS = 50;

/** Reason why an address cannot be used, for the operator. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'unknown host name',
};

interface ListenAddress {
  /** 0 picks a free port. */
  readonly port: number;
  /** Undefined for all interfaces. */
  readonly host: string | undefined;
}

/** Runs an HTTP server: starts listening, and shuts down gracefully. */
export class Listener {
  readonly #server: Server;
  /** Open connections; with TLS the secure socket once the handshake is done. */
  readonly #connections = new Set<Socket>();

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#keep(socket);
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      const underlying = socketUnder(socket);
      if (underlying !== undefined) this.#connections.delete(underlying);
      this.#keep(socket);
    });
  }

  /**
   * Starts listening, and returns the port.
   *
   * @param setting - name of the port's setting, for errors
   * @throws OperatorError if the address cannot be used
   */
  async listen({ port, host }: ListenAddress, setting: string): Promise<number> {
    try {
      this.#server.listen({ port, host });
      await once(this.#server, 'listening');
    } catch (cause) {
      const where = host === undefined ? `port ${String(port)}` : `port ${String(port)} of ${host}`;
      const reason = REASONS[systemErrorCode(cause) ?? ''] ?? String(cause);
      throw new OperatorError(`Cannot listen on ${where} (${setting}): ${reason}.`, { cause });
    }
    const address = this.#server.address();
    return address === null || typeof address === 'string' ? port : address.port;
  }

  /**
   * Stops accepting connections, lets all requests in progress be answered, and closes the connections.
   *
   * @param withinMs - time after which open connections are closed forcibly
   * @returns true if some were
   */
  async drain(withinMs: number): Promise<boolean> {
    // A caller that sends another request over a kept connection learns that it was the last one.
    this.#server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    const closed = once(this.#server, 'close');
    // A request that has arrived but has not been read counts as in progress: it is read in this turn.
    await nextTurn();
    this.#server.close();

    const sweep = setInterval(() => {
      setImmediate(() => {
        this.#closeIdleConnections();
      });
    }, SWEEP_INTERVAL_MS);
    let cut = false;
    const deadline = setTimeout(() => {
      cut = true;
      this.#server.closeAllConnections();
    }, withinMs);

    await closed;
    clearInterval(sweep);
    clearTimeout(deadline);
    return cut;
  }

  #closeIdleConnections(): void {
    this.#server.closeIdleConnections();
    // Node counts a connection as idle only after its first request; some are opened in advance and never
    // used.
    for (const socket of this.#connections)
      if (socket.bytesRead === 0 || isInHandshake(socket)) socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
  }
}
