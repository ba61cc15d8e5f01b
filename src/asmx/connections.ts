import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

import { carrierOf } from './write-backlog';
import { isAnswering } from './pipelining';

/** So many more connections are taken for what is no endpoint: whoever asks for the state of a full house. */
const RESERVE = 16;
/** How many connections are looked at to find one to close. */
const MOST_LOOKS = 256;

/**
 * The connections of a server. When there are as many as there may be, those make room that do nothing; where all
 * are busy, a few more are taken, over which the endpoints answer that they are too busy.
 */
export class Connections {
  readonly #most: number;
  readonly #onFull: () => void;
  readonly #open = new Set<Socket>();
  readonly #reserve = new Set<Socket>();
  /** Those over which TLS is not spoken yet: what they were sent was no answer. */
  readonly #inHandshake = new WeakSet<Socket>();

  /** @param onFull called for each connection that comes when there are as many as there may be */
  constructor(most: number, onFull: () => void) {
    this.#most = most;
    this.#onFull = onFull;
  }

  /**
   * Takes a new connection, or closes it where there is no room at all.
   *
   * @param speaksTls whether {@link secured} tells when it is ready for requests
   */
  add(socket: Socket, speaksTls = false): void {
    const place = this.#placeFor();
    if (place === undefined) {
      socket.destroy();
      return;
    }
    if (speaksTls) this.#inHandshake.add(socket);
    keep(socket, place);
  }

  /** Knows a connection from now on by what TLS made of it. */
  secured(socket: TLSSocket): void {
    const carrier = carrierOf(socket);
    const place = [this.#open, this.#reserve].find((sockets) => sockets.delete(carrier));
    if (place === undefined) socket.destroy();
    else keep(socket, place);
  }

  /** Whether a connection was taken although there were as many as there may be. */
  isReserve(socket: Socket): boolean {
    return this.#reserve.size > 0 && this.#reserve.has(socket);
  }

  #placeFor(): Set<Socket> | undefined {
    if (this.#open.size < this.#most) return this.#open;
    this.#onFull();
    if (this.#closeIdle(this.#open)) return this.#open;
    return this.#reserve.size < RESERVE || this.#closeIdle(this.#reserve) ? this.#reserve : undefined;
  }

  /**
   * Closes a connection over which nothing is being answered: best one that never was answered anything, as those of
   * good callers are. The busy ones that are looked at go to the end of the row.
   *
   * @returns whether there was one
   */
  #closeIdle(sockets: Set<Socket>): boolean {
    let looks = 0;
    let idle: Socket | undefined;
    for (const socket of sockets) {
      looks += 1;
      if (looks > Math.min(MOST_LOOKS, sockets.size)) break;
      if (isAnswering(socket)) {
        sockets.delete(socket);
        sockets.add(socket);
      } else {
        idle ??= socket;
        if (socket.bytesWritten > 0 && !this.#inHandshake.has(socket)) continue;
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
