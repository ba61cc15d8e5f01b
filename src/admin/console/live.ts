import { setTimeout as delay } from 'node:timers/promises';

import type { Request, Response } from 'express';

import type { Html } from '../../support/html';

/** Maximum number of open streams; further pages must be reloaded by hand. */
const MAX_STREAMS = 24;

/** A part of a page that is updated. */
interface LivePart {
  readonly id: string;
  readonly everyMs: number;
  readonly render: () => Promise<Html>;
}

/**
 * Streams of server-sent events: one for each open page, which sends a part again whenever it has changed,
 * and ends with the page. Only the last text of each part is kept.
 */
export class LiveStreams {
  #open = 0;

  /** Sends the parts until the client disconnects. */
  async serve(request: Request, response: Response, parts: readonly LivePart[]): Promise<void> {
    if (this.#open >= MAX_STREAMS) {
      response
        .status(503)
        .set('Retry-After', '60')
        .type('text/plain')
        .send('Too many console pages are open. Close one and reload.\n');
      return;
    }
    this.#open += 1;
    const ended = new AbortController();
    response.once('close', () => {
      this.#open -= 1;
      ended.abort();
    });
    response.set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    request.socket.setNoDelay(true);
    await Promise.all(parts.map((part) => repeat(part, response, ended.signal)));
  }
}

/** Sends a part now and after each change: the page may contain an older version. */
async function repeat(
  { id, everyMs, render }: LivePart,
  response: Response,
  ended: AbortSignal,
): Promise<void> {
  let last = '';
  while (!ended.aborted) {
    // A failure is retried the next time; meanwhile the page shows how old it is.
    const text = (await render().catch(() => undefined))?.text;
    // A client that does not read gets nothing more until it has read.
    if (text !== undefined && text !== last && !response.writableNeedDrain && !response.destroyed) {
      response.write(`event: part\ndata: ${JSON.stringify({ id, html: text })}\n\n`);
      last = text;
    }
    await delay(everyMs, undefined, { signal: ended, ref: false }).catch(() => undefined);
  }
}
