import type { IncomingMessage, ServerResponse } from 'node:http';

import { BodyShare, BodySpace, needsShare } from './body-space';

const EMPTY_BODY = Buffer.alloc(0);

/** How reading a request's body ended. */
export type BodyOutcome = Buffer | BodyRefusal | 'aborted';

/** Why a body is not read to its end: it is over the limit, or there is no room for it at the moment. */
export type BodyRefusal = 'too-large' | 'busy';

export type ReadBody = (
  request: IncomingMessage,
  response: ServerResponse,
  done: (outcome: BodyOutcome) => void,
) => void;

export interface BodyBounds {
  /** Largest body, in bytes. */
  readonly bodyBytes: number;
  /** How many bodies over 64 KB there may be at once. */
  readonly largeBodies: number;
}

/**
 * Prepares the reader of request bodies: raw bytes, whatever the media type and the Content-Encoding say, for the
 * charset rules are ASP.NET's, and it does not inflate. A body over the limit, or one that there is no room for, is
 * told as soon as it shows: by its Content-Length or while it arrives. A body keeps its room until it is answered.
 *
 * @param onFull called for each body that there is no room for
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
    const length = announced === undefined ? undefined : Number(announced);
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
    if (length !== undefined && length > bodyBytes) {
      done('too-large');
      return;
    }
    if (length !== undefined && !hasRoom(length)) {
      done('busy');
      return;
    }
    if (headers.expect !== undefined && CONTINUE.test(headers.expect)) response.writeContinue();

    let body: Buffer = EMPTY_BODY;
    let received = 0;
    let isSettled = false;
    const settle = (outcome: BodyOutcome): void => {
      if (isSettled) return;
      isSettled = true;
      body = EMPTY_BODY;
      done(outcome);
    };
    request.on('data', (chunk: Buffer) => {
      if (isSettled) return;
      const total = received + chunk.length;
      if (total > bodyBytes) settle('too-large');
      else if (length === undefined && !hasRoom(total)) settle('busy');
      else {
        body = received === 0 ? chunk : append(body, received, chunk, length ?? bodyBytes);
        received = total;
      }
    });
    request.on('end', () => {
      settle(body.length === received ? body : body.subarray(0, received));
    });
    request.on('close', () => {
      settle('aborted');
    });
  };
}

// As Node looks for it.
const CONTINUE = /(?:^|\W)100-continue(?:$|\W)/i;

/**
 * Appends a piece. Kept as they come, pieces of one byte would cost a hundred times what they hold.
 *
 * @param used how many bytes of the buffer are the body's
 * @param most how many bytes there will be at the most
 */
function append(buffer: Buffer, used: number, piece: Buffer, most: number): Buffer {
  const needed = used + piece.length;
  const grown =
    needed <= buffer.length ? buffer : Buffer.allocUnsafeSlow(Math.min(Math.max(needed * 2, 4096), most));
  if (grown !== buffer) buffer.copy(grown, 0, 0, used);
  piece.copy(grown, used);
  return grown;
}
