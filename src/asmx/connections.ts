import type { Socket } from 'node:net';

import { isAnswering } from './turns';

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

  /** @param onFull called for each connection that comes when there are as many as there may be */
  constructor(most: number, onFull: () => void) {
    this.#most = most;
    this.#onFull = onFull;
  }

  /** Takes a new connection, or closes it where there is no room at all. */
  add(socket: Socket): void {
    const place = this.#placeFor();
    if (place === undefined) {
      socket.destroy();
      return;
    }
    place.add(socket);
    socket.once('close', () => {
      place.delete(socket);
    });
  }

  /** Whether a connection was taken although there were as many as there may be. */
  isReserve(socket: Socket): boolean {
    return this.#reserve.size > 0 && this.#reserve.has(socket);
  }

  #placeFor(): Set<Socket> | undefined {
    if (this.#open.size < this.#most) return this.#open;
    this.#onFull();
    if (closeIdle(this.#open)) return this.#open;
    return this.#reserve.size < RESERVE || closeIdle(this.#reserve) ? this.#reserve : undefined;
  }
}

/**
 * Closes a connection over which nothing is being answered: best one that never was answered anything, as those of
 * good callers are. The busy ones that are looked at go to the end of the row.
 *
 * @returns whether there was one
 */
function closeIdle(sockets: Set<Socket>): boolean {
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
      if (socket.bytesWritten > 0) continue;
      idle = socket;
      break;
    }
  }
  if (idle === undefined) return false;
  sockets.delete(idle);
  idle.destroy();
  return true;
}
