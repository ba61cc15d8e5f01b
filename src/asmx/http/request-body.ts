import type { Request, Response } from 'express';

/**
 * Bodies up to this size, as in normal requests, do not count against the shared space; connections limit
 * their number.
 */
const FREE_BYTES = 4 * 1024;
/** Bodies above this size need one of a few places for large bodies. */
const LARGE_BYTES = 64 * 1024;
/** Total size of all bodies between the two sizes. */
const SHARED_BYTES = 32 * 1024 * 1024;

/** Limits the memory that request bodies in progress may use together. */
export class BodySpace {
  #bytes = SHARED_BYTES;
  #places: number;
  readonly #onFull: () => void;

  /**
   * @param places maximum number of simultaneous bodies over 64 KB
   * @param onFull called for each body for which there is no room
   */
  constructor(places: number, onFull: () => void) {
    this.#places = places;
    this.#onFull = onFull;
  }

  /** @returns true if the space was available and has been taken */
  take(bytes: number, places: number): boolean {
    if (bytes > this.#bytes || places > this.#places) {
      this.#onFull();
      return false;
    }
    this.giveBack(-bytes, -places);
    return true;
  }

  giveBack(bytes: number, places: number): void {
    this.#bytes += bytes;
    this.#places += places;
  }
}

/** Returns true if a body of this size needs a share of the space. */
export function needsShare(bytes: number): boolean {
  return bytes > FREE_BYTES;
}

export class BodyShare {
  readonly #space: BodySpace;
  #bytes = 0;
  #places = 0;

  constructor(space: BodySpace) {
    this.#space = space;
  }

  /** @returns true if there is room for the body at this size */
  reach(bytes: number): boolean {
    if (this.#places > 0) return true;
    if (bytes <= LARGE_BYTES) {
      const isThere = this.#space.take(bytes - this.#bytes, 0);
      if (isThere) this.#bytes = bytes;
      return isThere;
    }
    if (!this.#space.take(0, 1)) return false;
    this.release();
    this.#places = 1;
    return true;
  }

  release(): void {
    this.#space.giveBack(this.#bytes, this.#places);
    this.#bytes = 0;
    this.#places = 0;
  }
}

export const EMPTY_BODY = Buffer.alloc(0);

type BodyOutcome = Buffer | BodyRefusal | 'aborted';

/** Reason for not reading a body to its end: over the limit, or no room for it at the moment. */
export type BodyRefusal = 'too-large' | 'busy';

export type ReadBody = (request: Request, response: Response, done: (outcome: BodyOutcome) => void) => void;

interface BodyBounds {
  /** Largest body, in bytes. */
  readonly bodyBytes: number;
  /** Maximum number of simultaneous bodies over 64 KB. */
  readonly largeBodies: number;
}

/** Overhead of one piece of a body that is kept as it arrived: measured, and rounded up. */
const PIECE_BYTES = 512;
/**
 * Maximum memory of a body's pieces, as a multiple of the largest body: honest clients do not send byte by
 * byte.
 */
const MAX_MEMORY = 4;

/**
 * Prepares the reader of request bodies. It reads raw bytes, whatever the media type and the Content-Encoding
 * say, because the charset rules are ASP.NET's, which does not decompress. A body that is over the limit, or
 * for which there is no room, is refused as soon as this is known: from its Content-Length or while it
 * arrives. A body keeps its share until it is answered.
 *
 * body-parser would cost 4 µs more, read an oversized chunked body to its end before reporting it, and
 * decompress.
 *
 * @param onFull called for each body for which there is no room
 */
export function createBodyReader({ bodyBytes, largeBodies }: BodyBounds, onFull: () => void): ReadBody {
  const space = new BodySpace(largeBodies, onFull);
  return (request, response, done) => {
    const { headers } = request;
    const announced = headers['content-length'];
    if (announced === undefined && headers['transfer-encoding'] === undefined) {
      done(EMPTY_BODY);
      return;
    }
    const length = Number(announced ?? 0);
    if (length > bodyBytes) {
      done('too-large');
      return;
    }
    let share: BodyShare | undefined;
    const hasRoom = (bytes: number): boolean => {
      if (!needsShare(bytes)) return true;
      if (share === undefined) {
        const taken = new BodyShare(space);
        share = taken;
        response.once('close', () => taken.release());
      }
      return share.reach(bytes);
    };
    if (!hasRoom(length)) {
      done('busy');
      return;
    }
    if (headers.expect !== undefined && CONTINUE.test(headers.expect)) response.writeContinue();

    let isSettled = false;
    const settle = (outcome: BodyOutcome): void => {
      if (isSettled) return;
      isSettled = true;
      done(outcome);
    };
    let pieces: Buffer[] | undefined;
    let received = 0;
    request.on('data', (piece: Buffer) => {
      // The rest of a refused body is dropped: a share taken now would never be returned.
      if (isSettled) return;
      // Most bodies are one piece, for which an empty list would reserve 17 places.
      if (pieces === undefined) pieces = [piece];
      else pieces.push(piece);
      received += piece.length;
      const memory = received + pieces.length * PIECE_BYTES;
      const refusal =
        received > bodyBytes || memory > MAX_MEMORY * bodyBytes
          ? 'too-large'
          : memory > length && !hasRoom(memory)
            ? 'busy'
            : undefined;
      if (refusal === undefined) return;
      pieces = undefined;
      settle(refusal);
    });
    request.on('end', () => {
      const [first = EMPTY_BODY, second] = pieces ?? [];
      settle(second === undefined ? first : Buffer.concat(pieces ?? [], received));
    });
    // Comes after the end, too.
    request.on('close', () => settle('aborted'));
  };
}

// Same pattern as in Node.
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;
