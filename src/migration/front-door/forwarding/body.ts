import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

import { originForm } from '../../../asmx';
import { type HttpRequest, NO_BODY, pairsOf } from '../../messages';
import { endToEnd } from './headers';

/** Bodies up to here are read before they go on: then they can be looked at, and go in one write. Good requests are shorter. */
export const MOST_KEPT_BYTES = 16 * 1024;

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding !== undefined || (length !== undefined && length !== '0');
}

/** Tells a caller that asks first to send its body, be that empty; once, whoever reads it then. */
export function sayContinue(request: IncomingMessage, response: ServerResponse): void {
  const { headers, httpVersion } = request;
  if (headers.expect === undefined) return;
  if (/^100-continue$/i.test(headers.expect.trim()) && httpVersion !== '1.0') response.writeContinue();
  delete headers.expect;
}

/** Whether a body may turn out to be short enough to be kept. */
export function mayBeKept({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) <= MOST_KEPT_BYTES;
}

/**
 * Reads a body that is short enough to be kept. What was read of a longer one stands in the request again, as nobody
 * had read it.
 *
 * @param done called with the whole body, or with undefined where there is more; never when the caller goes away
 */
export function readStart(request: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const look = (): void => {
    for (;;) {
      // It is never set to decode.
      const piece = request.read() as Buffer | null;
      if (piece === null) break;
      pieces.push(piece);
      bytes += piece.length;
    }
    const isTooLong = bytes > MOST_KEPT_BYTES;
    if (!request.complete && !isTooLong) return;
    request.off('readable', look);
    const read = pieces.length === 1 ? (pieces[0] ?? NO_BODY) : Buffer.concat(pieces);
    if (isTooLong) request.unshift(read);
    done(isTooLong ? undefined : read);
  };
  request.on('readable', look);
}

/**
 * Keeps a body that somebody else reads.
 *
 * @returns tells the whole body, or undefined where it is not there yet, or longer than what is kept
 */
export function keepBody(request: IncomingMessage): () => Buffer | undefined {
  if (!hasBody(request)) return () => NO_BODY;
  const pieces: Buffer[] = [];
  let bytes = 0;
  // Unlike `on`, this does not make it flow: whoever reads it begins when ready.
  request.prependListener('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= MOST_KEPT_BYTES) pieces.push(piece);
    else pieces.length = 0;
  });
  return () => (request.complete && bytes <= MOST_KEPT_BYTES ? Buffer.concat(pieces) : undefined);
}

/** A request as the caller sent it, but for what was said of its connection. */
export function messageOf(request: IncomingMessage, body: Buffer): HttpRequest {
  const { method = '', url = '', rawHeaders } = request;
  // The length of the body shows in it.
  const headers = pairsOf(endToEnd(rawHeaders, (name) => name === 'content-length'));
  return { method, target: originForm(url), headers, body };
}

/**
 * The body of a request, to be handed to a library that ends what it was given when something fails: the caller's
 * connection must outlive that, for its answer.
 */
export class CallerBody extends Readable {
  constructor(request: IncomingMessage) {
    super({
      read: () => {
        request.resume();
      },
    });
    request.on('data', (piece: Buffer) => {
      // What still comes when nobody takes it any more is dropped.
      if (!this.destroyed && !this.push(piece)) request.pause();
    });
    request.once('end', () => {
      this.push(null);
    });
    // Who reads it may have left by then.
    this.on('error', () => undefined);
    request.once('close', () => {
      if (!request.complete) this.destroy(new Error('The caller is gone.'));
    });
  }
}
