import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';

import { errorPage, type HttpResponse, refuseBody, sendResponse, type TraceContext } from '../../../asmx';
import { errorWord } from '../../../errors';
import { type Header, pairsOf } from '../../messages';
import { type AddressChange, type AnswerWriter, DirectWriter, ReaddressingWriter } from './addresses';
import { CallerBody, hasBody, sayContinue } from './body';
import { endToEnd, requestHeaders } from './headers';
import type { OldServer } from './old-server';

/**
 * How it ended: answered; the old server cannot be reached, or broke off before it answered; it said nothing for too
 * long; it broke off its answer; the caller went away; the request cannot be passed on.
 */
export type ForwardOutcome = 'answered' | 'unreachable' | 'silent' | 'broken' | 'gone' | 'unsendable';

export interface ForwardEnd {
  readonly outcome: ForwardOutcome;
  /** Of the old server; 0 where it gave none. */
  readonly status: number;
  /** One word: what went wrong. */
  readonly error: string | undefined;
}

/** Looks on while an answer passes. It may keep nothing of a piece but a copy, or the piece as it is. */
export interface Watcher {
  onHead(status: number, headers: readonly Header[]): void;
  onPiece(piece: Buffer): void;
}

export interface ForwardOptions {
  readonly old: OldServer;
  readonly request: Request;
  readonly response: Response;
  /** The whole body where it has been read; else it is streamed. */
  readonly body: Buffer | undefined;
  /** Longest time the caller may read nothing of its answer, in milliseconds. */
  readonly unreadMs: number;
  readonly watcher?: Watcher | undefined;
  /** Of a document, what is put in for the address that the old server knows itself by. */
  readonly readdress?: AddressChange | undefined;
  /** Answers the caller where the old server cannot; default: a page with 502. */
  readonly instead?: (() => void) | undefined;
  /** What the old server is told that the request is a part of; else what the caller said of that. */
  readonly trace?: TraceContext | undefined;
  readonly done: (end: ForwardEnd) => void;
}

type Failure = Extract<ForwardOutcome, 'unreachable' | 'silent' | 'unsendable'>;

const PAGES: Readonly<Record<Failure, HttpResponse>> = {
  unreachable: errorPage(502, 'The server behind this one cannot be reached.'),
  silent: errorPage(502, 'The server behind this one does not answer.'),
  unsendable: errorPage(400, 'This request cannot be passed on to the server behind this one.'),
};

const OUTCOMES: Readonly<Record<string, Failure>> = {
  UND_ERR_HEADERS_TIMEOUT: 'silent',
  UND_ERR_BODY_TIMEOUT: 'silent',
  UND_ERR_CONNECT_TIMEOUT: 'silent',
  // Two hosts, say: what may be understood in two ways goes nowhere.
  UND_ERR_INVALID_ARG: 'unsendable',
};

/** Passes a request on to the old server, and its answer back as it comes: once, whatever happens. */
export function forward(options: ForwardOptions): void {
  const { old, request, body, readdress, trace } = options;
  const passage = new Passage(options);
  const streamed = body === undefined && hasBody(request) ? new CallerBody(request) : null;
  old.send(
    {
      method: request.method,
      path: request.url,
      // A document that is to be changed must be readable.
      headers: requestHeaders(request, readdress === undefined ? [] : ['accept-encoding'], trace),
      body: body ?? streamed,
    },
    passage,
    request.socket,
    request.headers.authorization,
  );
}

/** One request on its way. */
class Passage implements Dispatcher.DispatchHandler {
  readonly #options: ForwardOptions;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #isDone = false;
  #unread: NodeJS.Timeout | undefined;
  readonly #out: AnswerWriter;

  constructor(options: ForwardOptions) {
    this.#options = options;
    const { response, readdress } = options;
    const direct = new DirectWriter(response);
    this.#out = readdress === undefined ? direct : new ReaddressingWriter(direct, readdress);
    response.once('close', () => {
      clearTimeout(this.#unread);
      if (response.writableFinished) return;
      this.#end('gone');
      this.#controller?.abort(new Error('The caller is gone.'));
    });
    response.on('drain', () => {
      clearTimeout(this.#unread);
      this.#controller?.resume();
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { request, response } = this.#options;
    if (response.destroyed) controller.abort(new Error('The caller is gone.'));
    else sayContinue(request, response);
  }

  onResponseStart(
    { rawHeaders }: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    message = '',
  ): void {
    // What is said in between is for this connection.
    if (status < 200) return;
    const { watcher } = this.#options;
    const raw = texts(rawHeaders);
    this.#status = status;
    this.#out.head(status, message, endToEnd(raw));
    watcher?.onHead(status, pairsOf(raw));
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    const { response, watcher, unreadMs } = this.#options;
    watcher?.onPiece(piece);
    if (this.#out.piece(piece)) return;
    controller.pause();
    this.#unread = setTimeout(() => response.destroy(), unreadMs);
  }

  onResponseEnd({ rawTrailers }: Dispatcher.DispatchController): void {
    const { response } = this.#options;
    const trailers = texts(rawTrailers);
    if (trailers.length > 0) response.addTrailers(pairsOf(trailers));
    this.#out.end();
    this.#end('answered');
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isDone) return;
    const { response, instead } = this.#options;
    if (response.headersSent) {
      // Half an answer is none: the caller must see that the rest is missing.
      this.#end('broken', error);
      response.destroy();
      return;
    }
    const outcome = OUTCOMES[errorWord(error)] ?? 'unreachable';
    this.#end(outcome, error);
    if (instead !== undefined) instead();
    else this.#answer(PAGES[outcome]);
  }

  #answer(page: HttpResponse): void {
    const { request, response } = this.#options;
    if (request.complete) sendResponse(response, page);
    else refuseBody(request, response, page);
  }

  #end(outcome: ForwardOutcome, error?: unknown): void {
    if (this.#isDone) return;
    this.#isDone = true;
    const word = error === undefined ? undefined : errorWord(error);
    this.#options.done({ outcome, status: this.#status, error: word });
  }
}

/** Headers as undici has them, names and values in turn: bytes, which Latin-1 keeps. */
function texts(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  return Array.isArray(raw) ? raw.map((text: Buffer | string) => text.toString('latin1' as never)) : [];
}
