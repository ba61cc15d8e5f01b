import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/**
 * Lists connections whose TLS handshake is not finished. Node.js does not say which connection a TLS socket
 * encrypts, but both have the same addresses, and no two open connections do.
 */
export class Handshakes {
  readonly #sockets = new Map<string, Socket>();

  /** @param socket a new connection, which speaks TLS */
  begin(socket: Socket): void {
    const key = addressesOf(socket);
    this.#sockets.set(key, socket);
    socket.once('close', () => {
      if (this.#sockets.get(key) === socket) this.#sockets.delete(key);
    });
  }

  /** Returns the connection under a TLS socket whose handshake is done; undefined if it is closed. */
  end(secured: TLSSocket): Socket | undefined {
    const key = addressesOf(secured);
    const socket = this.#sockets.get(key);
    this.#sockets.delete(key);
    return socket;
  }

  has(socket: Socket): boolean {
    return this.#sockets.size > 0 && this.#sockets.get(addressesOf(socket)) === socket;
  }
}

function addressesOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return [localAddress, localPort, remoteAddress, remotePort].join(' ');
}
