import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';

import {
  errorPage,
  type HttpResponse,
  originForm,
  refuseBody,
  sendResponse,
  type TraceContext,
} from '../../asmx';
import { errorWord } from '../../support/errors';
import { type Header, headerOf, headersOf, type HttpRequest, NO_BODY, pairsOf, tokensOf } from '../messages';
import {
  type AddressChange,
  type AnswerWriter,
  DirectWriter,
  endToEnd,
  ReaddressingWriter,
  requestHeaders,
} from './forwarded-headers';
import type { OldServer } from './old-server';

/** Bodies up to here are read before they go on: then they can be looked at, and go in one write. Good requests are shorter. */
const MOST_KEPT_BYTES = 16 * 1024;

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
class CallerBody extends Readable {
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
      if (!request.complete) this.destroy(new Error('The caller has disconnected.'));
    });
  }
}

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

interface ForwardOptions {
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
  unreachable: errorPage(502, 'Cannot connect to the server behind this proxy.'),
  silent: errorPage(502, 'The server behind this proxy does not respond.'),
  unsendable: errorPage(400, 'This request cannot be forwarded to the server behind this proxy.'),
};

const OUTCOMES: Readonly<Record<string, Failure>> = {
  UND_ERR_HEADERS_TIMEOUT: 'silent',
  UND_ERR_BODY_TIMEOUT: 'silent',
  UND_ERR_CONNECT_TIMEOUT: 'silent',
  ONLY_INTERIM_ANSWERS: 'silent',
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
      // A server takes the host of an absolute form for that of the request: ours looked at the Host header.
      path: originForm(request.url),
      // A document that is to be changed must be readable.
      headers: requestHeaders(request, readdress === undefined ? [] : ['accept-encoding'], trace),
      body: body ?? streamed,
    },
    passage,
    request.socket,
    request.rawHeaders,
  );
}

/** One request on its way. */
class Passage implements Dispatcher.DispatchHandler {
  readonly #options: ForwardOptions;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #isDone = false;
  #unread: NodeJS.Timeout | undefined;
  /** Runs from the first interim answer (1xx): undici restarts its own timeout after each. */
  #interim: NodeJS.Timeout | undefined;
  readonly #out: AnswerWriter;

  constructor(options: ForwardOptions) {
    this.#options = options;
    const { response, readdress } = options;
    const direct = new DirectWriter(response);
    this.#out = readdress === undefined ? direct : new ReaddressingWriter(direct, readdress);
    response.once('close', () => {
      clearTimeout(this.#unread);
      clearTimeout(this.#interim);
      if (response.writableFinished) return;
      this.#end('gone');
      this.#controller?.abort(new Error('The caller has disconnected.'));
    });
    response.on('drain', () => {
      clearTimeout(this.#unread);
      this.#controller?.resume();
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    const { request, response } = this.#options;
    if (response.destroyed) controller.abort(new Error('The caller has disconnected.'));
    else sayContinue(request, response);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    message = '',
  ): void {
    const { watcher, request, old } = this.#options;
    if (status < 200) {
      // An interim answer is for this connection.
      this.#interim ??= setTimeout(() => this.#controller?.abort(new OnlyInterimAnswers()), old.silenceMs);
      return;
    }
    clearTimeout(this.#interim);
    const raw = texts(controller.rawHeaders);
    const codings = tokensOf(headersOf({ headers: pairsOf(raw) }, 'transfer-encoding').join());
    // undici undoes this one alone, and the header that names the others ends with its connection.
    if (codings.some((coding) => coding !== 'chunked')) throw new UnknownCoding();
    this.#status = status;
    const isBodiless = status === 204 || status === 304;
    // A 204 has no length either (RFC 9110, section 8.6): who reads one waits for its bytes.
    this.#out.head(
      status,
      reasonPhrase(message),
      endToEnd(raw, (name) => status === 204 && name === 'content-length'),
    );
    watcher?.onHead(status, pairsOf(raw));
    if (!isBodiless) return;
    // Ended here: undici takes a length that no bytes follow for an answer that was cut off.
    this.#out.end();
    this.#end('answered');
    const announced = headerOf({ headers: pairsOf(raw) }, 'content-length') ?? '0';
    if (request.method !== 'HEAD' && announced !== '0') controller.abort(new Error('Unexpected body.'));
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#isDone) return;
    const { response, watcher, unreadMs } = this.#options;
    watcher?.onPiece(piece);
    if (this.#out.piece(piece)) return;
    controller.pause();
    this.#unread = setTimeout(() => response.destroy(), unreadMs);
  }

  onResponseEnd({ rawTrailers }: Dispatcher.DispatchController): void {
    if (this.#isDone) return;
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

/** The body of the answer has a transfer coding that cannot be undone. */
class UnknownCoding extends Error {
  readonly code = 'UNKNOWN_TRANSFER_CODING';
}

/** The old server sent interim answers (1xx) for as long as it may say nothing, and no final one. */
class OnlyInterimAnswers extends Error {
  readonly code = 'ONLY_INTERIM_ANSWERS';
}

/**
 * The reason phrase as it may stand in a status line: undici reads its bytes as UTF-8, Node writes each character as
 * one byte and refuses control characters.
 */
function reasonPhrase(message: string): string {
  return Buffer.from(message, 'utf8').toString('latin1').replace(NOT_IN_A_PHRASE, ' ');
}

/** What is neither a tab, nor visible, nor a byte beyond ASCII (RFC 9112, section 4). */
const NOT_IN_A_PHRASE = /[^\t\x20-\x7e\x80-\xff]/g;

/** Headers as undici has them, names and values in turn: bytes, which Latin-1 keeps. */
function texts(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  return Array.isArray(raw) ? raw.map((text: Buffer | string) => text.toString('latin1' as never)) : [];
}
