import { setTimeout as delay } from 'node:timers/promises';

import type { Request, Response } from 'express';

import type { Html } from '../../asmx';

/** Operators with a page open; who comes then has to load pages anew. */
const MOST_STREAMS = 24;

/** A part of a page that changes by itself. */
interface LivePart {
  /** Of the element that holds it. */
  readonly id: string;
  readonly everyMs: number;
  readonly render: () => Promise<Html>;
}

/**
 * Streams of server-sent events: one for each open page, which brings a part of it again whenever that has changed,
 * and which ends with the page. Nothing is kept of what was sent but a part's last text.
 */
export class LiveStreams {
  #open = 0;

  /** Sends the parts until whoever listens goes. */
  async serve(request: Request, response: Response, parts: readonly LivePart[]): Promise<void> {
    if (this.#open >= MOST_STREAMS) {
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

/** The page holds the part as it was a moment ago: the first text is sent, too. */
async function repeat(
  { id, everyMs, render }: LivePart,
  response: Response,
  ended: AbortSignal,
): Promise<void> {
  let last = '';
  while (!ended.aborted) {
    // What cannot be read now is tried again the next time; the page says since when it stands still.
    const text = (await render().catch(() => undefined))?.text;
    // Whoever does not read gets nothing more until it has read.
    if (text !== undefined && text !== last && !response.writableNeedDrain && !response.destroyed) {
      response.write(`event: part\ndata: ${JSON.stringify({ id, html: text })}\n\n`);
      last = text;
    }
    await delay(everyMs, undefined, { signal: ended, ref: false }).catch(() => undefined);
  }
}
