import bodyParser from 'body-parser';
import type { Request, RequestHandler, Response } from 'express';

const EMPTY_BODY = Buffer.alloc(0);

/** How reading a request's body ended. */
export type BodyOutcome = Buffer | 'too-large' | 'aborted';

export type ReadBody = (request: Request, response: Response, done: (outcome: BodyOutcome) => void) => void;

/**
 * Prepares the reader of request bodies: raw bytes of any media type up to a limit, for the charset rules are
 * ASP.NET's. A body over the limit is told as soon as it shows, by its Content-Length or while it arrives.
 *
 * @param limit largest body, in bytes
 */
export function createBodyReader(limit: number): ReadBody {
  const parse: RequestHandler = bodyParser.raw({ type: () => true, limit });
  return (request, response, done) => {
    const length = request.headers['content-length'];
    if (length !== undefined && Number(length) > limit) {
      done('too-large');
      return;
    }
    // ASP.NET does not honour Content-Encoding: the bytes are read as they came, and are then simply not XML.
    // body-parser would inflate them.
    if (request.headers['content-encoding'] !== undefined) delete request.headers['content-encoding'];
    let settled = false;
    const settle = (outcome: BodyOutcome): void => {
      if (settled) return;
      settled = true;
      done(outcome);
    };
    if (length === undefined) watchLength(request, limit, settle);
    parse(request, response, (error?: unknown) => {
      if (error !== undefined) settle(isTooLarge(error) ? 'too-large' : 'aborted');
      else settle(parsedBody(request));
    });
  };
}

// body-parser adds the property, and leaves it undefined for a request without a body.
function parsedBody(request: Request): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : EMPTY_BODY;
}

// body-parser reads a chunked body to its end before it tells that it is too large; a sender may never end.
function watchLength(request: Request, limit: number, settle: (outcome: BodyOutcome) => void): void {
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > limit) settle('too-large');
  });
}

function isTooLarge(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'type' in error && error.type === 'entity.too.large';
}
