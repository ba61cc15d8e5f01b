import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as TlsServer } from 'node:https';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { TLSSocket } from 'node:tls';

import { carrierOf } from '../asmx';
import { OperatorError, systemErrorCode } from '../support/errors';

const SWEEP_INTERVAL_MS = 50;

/** Why an address cannot be listened on, in the operator's words. */
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is in use',
  EACCES: 'permission denied',
  EADDRNOTAVAIL: 'this machine does not have the address',
  ENOTFOUND: 'unknown host name',
};

interface ListenAddress {
  /** 0 takes a free port. */
  readonly port: number;
  /** Undefined for all interfaces. */
  readonly host: string | undefined;
}

/** The life of an HTTP server: it listens, and in the end it stops in good order. */
export class Listener {
  readonly #server: Server;
  /** What requests come over: with TLS what that made of a connection, once it has. */
  readonly #connections = new Set<Socket>();

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#keep(socket);
    });
    server.on('secureConnection', (socket: TLSSocket) => {
      this.#connections.delete(carrierOf(socket));
      this.#keep(socket);
    });
  }

  /**
   * Listens, and returns the port.
   *
   * @param setting - name of the setting that holds the port, for the error text
   * @throws OperatorError where the address cannot be had
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
   * Stops accepting connections, lets every request that has begun be answered, and closes the connections.
   *
   * @param withinMs - after this time what is still open is cut
   * @returns whether something had to be cut
   */
  async drain(withinMs: number): Promise<boolean> {
    // Callers that send one more request over a kept connection are told that it was the last one.
    this.#server.prependListener('request', (_request, response) => {
      response.shouldKeepAlive = false;
    });
    const closed = once(this.#server, 'close');
    // A request that has reached the machine but was not read yet has begun too: it is read in this turn.
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
    // Node counts a connection as idle only after its first request; some are opened ahead and never used.
    const isSecure = this.#server instanceof TlsServer;
    for (const socket of this.#connections) {
      const isInHandshake = isSecure && !(socket instanceof TLSSocket);
      if (isInHandshake || socket.bytesRead === 0) socket.destroy();
    }
  }

  #keep(socket: Socket): void {
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
  }
}
