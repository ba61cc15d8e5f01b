import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { beginHandshake, isInHandshake, socketUnder } from './handshakes';
import { isAnswering } from './pipelining';

/** Extra connections for anything but endpoints, such as a health check while the server is full. */
const RESERVE = 16;
/** Maximum number of connections inspected to find one to close. */
const MAX_LOOKS = 256;

/**
 * The connections of a server. At the limit, idle ones are closed to make room; if all are busy, a few more
 * are accepted, on which the endpoints answer that the server is too busy.
 */
export class Connections {
  readonly #most: number;
  readonly #onFull: () => void;
  readonly #open = new Set<Socket>();
  readonly #reserve = new Set<Socket>();

  /** @param onFull called for each connection that arrives at the limit */
  constructor(most: number, onFull: () => void) {
    this.#most = most;
    this.#onFull = onFull;
  }

  /**
   * Accepts a new connection, or closes it when there is no room at all.
   *
   * @param speaksTls true if {@link secured} will report when it is ready for requests
   */
  add(socket: Socket, speaksTls = false): void {
    const place = this.#placeFor();
    if (place === undefined) {
      socket.destroy();
      return;
    }
    keep(socket, place);
    if (speaksTls) beginHandshake(socket);
  }

  /** Replaces a raw connection with its TLS socket once the handshake is done. */
  secured(socket: TLSSocket): void {
    const underlying = socketUnder(socket);
    const place = underlying && [this.#open, this.#reserve].find((sockets) => sockets.delete(underlying));
    if (place === undefined) socket.destroy();
    else keep(socket, place);
  }

  /** Returns true for a connection that was accepted beyond the limit. */
  isReserve(socket: Socket): boolean {
    return this.#reserve.size > 0 && this.#reserve.has(socket);
  }

  /** True while more than one connection is open, so that requests may arrive at the same time. */
  get hasSeveral(): boolean {
    return this.#open.size > 1;
  }

  #placeFor(): Set<Socket> | undefined {
    if (this.#open.size < this.#most) return this.#open;
    this.#onFull();
    if (this.#closeIdle(this.#open)) return this.#open;
    return this.#reserve.size < RESERVE || this.#closeIdle(this.#reserve) ? this.#reserve : undefined;
  }

  /**
   * Closes a connection on which nothing is being answered, preferably one that has never been answered:
   * well-behaved callers have been. Busy ones found on the way move to the end of the set.
   *
   * @returns true if one was closed
   */
  #closeIdle(sockets: Set<Socket>): boolean {
    let looks = 0;
    let idle: Socket | undefined;
    for (const socket of sockets) {
      looks += 1;
      if (looks > Math.min(MAX_LOOKS, sockets.size)) break;
      if (isAnswering(socket)) {
        sockets.delete(socket);
        sockets.add(socket);
      } else {
        idle ??= socket;
        // Bytes sent in a handshake were no answer.
        if (socket.bytesWritten > 0 && !isInHandshake(socket)) continue;
        idle = socket;
        break;
      }
    }
    if (idle === undefined) return false;
    sockets.delete(idle);
    idle.destroy();
    return true;
  }
}

function keep(socket: Socket, place: Set<Socket>): void {
  place.add(socket);
  socket.once('close', () => {
    place.delete(socket);
  });
}
