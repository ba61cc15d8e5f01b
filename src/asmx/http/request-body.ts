import bodyParser from 'body-parser';
import type { Request, RequestHandler, Response } from 'express';

/** A body up to here takes no space of the others: those of good requests are shorter. There are as many as connections. */
const FREE_BYTES = 4 * 1024;
/** A body over this needs one of the few places. */
const LARGE_BYTES = 64 * 1024;
/** What all those between the two may hold together. */
const SHARED_BYTES = 32 * 1024 * 1024;

/** How much memory the bodies of the requests under way may take together. */
export class BodySpace {
  #bytes = SHARED_BYTES;
  #places: number;
  readonly #onFull: () => void;

  /**
   * @param places how many bodies over 64 KB there may be at once
   * @param onFull called for each body that finds no room
   */
  constructor(places: number, onFull: () => void) {
    this.#places = places;
    this.#onFull = onFull;
  }

  /** @returns whether there was so much; then it is taken */
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

/** Whether a body of that many bytes needs a share of the space. */
export function needsShare(bytes: number): boolean {
  return bytes > FREE_BYTES;
}

/** What one body takes of the space. */
export class BodyShare {
  readonly #space: BodySpace;
  #bytes = 0;
  #places = 0;

  constructor(space: BodySpace) {
    this.#space = space;
  }

  /** @returns whether there is room for so many bytes of the body */
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

  /** Gives back what it has. */
  release(): void {
    this.#space.giveBack(this.#bytes, this.#places);
    this.#bytes = 0;
    this.#places = 0;
  }
}

const EMPTY_BODY = Buffer.alloc(0);

/** How reading a request's body ended. */
type BodyOutcome = Buffer | BodyRefusal | 'aborted';

/** Why a body is not read to its end: it is over the limit, or there is no room for it at the moment. */
export type BodyRefusal = 'too-large' | 'busy';

export type ReadBody = (request: Request, response: Response, done: (outcome: BodyOutcome) => void) => void;

interface BodyBounds {
  /** Largest body, in bytes. */
  readonly bodyBytes: number;
  /** How many bodies over 64 KB there may be at once. */
  readonly largeBodies: number;
}

/** What a piece of a body takes beside its bytes, for body-parser keeps pieces as they come: measured, and rounded up. */
const PIECE_BYTES = 512;
/** A body whose pieces take more than this many times the largest body is refused: nobody sends it byte by byte. */
const MOST_MEMORY = 4;

/**
 * Prepares the reader of request bodies: raw bytes, whatever the media type and the Content-Encoding say, for the
 * charset rules are ASP.NET's, and it does not inflate. A body over the limit, or one that there is no room for, is
 * told as soon as it shows: by its Content-Length or while it arrives. A body keeps its room until it is answered.
 *
 * @param onFull called for each body that there is no room for
 */
export function createBodyReader({ bodyBytes, largeBodies }: BodyBounds, onFull: () => void): ReadBody {
  const space = new BodySpace(largeBodies, onFull);
  const parse: RequestHandler = bodyParser.raw({ type: () => true, limit: bodyBytes });
  return (request, response, done) => {
    const { headers } = request;
    const announced = headers['content-length'];
    if (announced === undefined && headers['transfer-encoding'] === undefined) {
      done(EMPTY_BODY);
      return;
    }
    let share: BodyShare | undefined;
    const hasRoom = (bytes: number): boolean => {
      if (!needsShare(bytes)) return true;
      if (share === undefined) {
        const taken = new BodyShare(space);
        share = taken;
        response.once('close', () => {
          taken.release();
        });
      }
      return share.reach(bytes);
    };
    const length = Number(announced ?? 0);
    if (length > bodyBytes) {
      done('too-large');
      return;
    }
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
    let received = 0;
    let memory = 0;
    // body-parser reads a chunked body to its end before it tells that it is too large; a sender may never end.
    request.on('data', (piece: Buffer) => {
      // What still comes of a refused body is dropped: it takes no room, which nobody would give back.
      if (isSettled) return;
      received += piece.length;
      memory += piece.length + PIECE_BYTES;
      if (received > bodyBytes || memory > MOST_MEMORY * bodyBytes) settle('too-large');
      else if (memory > length && !hasRoom(memory)) settle('busy');
    });
    // ASP.NET does not honour Content-Encoding, and body-parser would inflate.
    if (headers['content-encoding'] !== undefined) delete headers['content-encoding'];
    parse(request, response, (error?: unknown) => {
      if (error !== undefined) settle(isTooLarge(error) ? 'too-large' : 'aborted');
      // It leaves the property undefined for a request without a body.
      else settle(Buffer.isBuffer(request.body) ? request.body : EMPTY_BODY);
    });
  };
}

// As Node looks for it.
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

function isTooLarge(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'type' in error && error.type === 'entity.too.large';
}
