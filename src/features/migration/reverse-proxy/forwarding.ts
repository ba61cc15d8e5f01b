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
} from '../../../asmx/internal';
import { errorWord } from '../../../support/errors';
import {
  type Header,
  findHeader,
  findHeaders,
  type HttpRequest,
  NO_BODY,
  toPairs,
  parseTokens,
} from '../messages';
import {
  type AddressChange,
  type AnswerWriter,
  DirectWriter,
  endToEnd,
  ReaddressingWriter,
  requestHeaders,
} from './forwarded-headers';
import type { OldServer } from './old-server';

/**
 * Bodies up to this size are read before they are forwarded: then they can be examined, and are sent in one
 * write. Normal requests are smaller.
 */
const MAX_KEPT_BYTES = 16 * 1024;

/** Returns true if a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': coding } = headers;
  return coding !== undefined || (length !== undefined && length !== '0');
}

/**
 * Asks a caller that expects 100 Continue to send its body, even an empty one; only once, whatever reads it
 * later.
 */
export function sayContinue(request: IncomingMessage, response: ServerResponse): void {
  const { headers, httpVersion } = request;
  if (headers.expect === undefined) return;
  if (/^100-continue$/i.test(headers.expect.trim()) && httpVersion !== '1.0') response.writeContinue();
  delete headers.expect;
}

/** Returns true if a body may be short enough to be kept. */
export function mayBeKept({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) <= MAX_KEPT_BYTES;
}

/**
 * Reads a body that is short enough to be kept. The start of a longer one is put back into the request.
 *
 * @param done called with the whole body, or with undefined if there is more; never if the caller disconnects
 */
export function readStart(request: IncomingMessage, done: (body: Buffer | undefined) => void): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  const look = (): void => {
    for (;;) {
      // No encoding is ever set on the request.
      const piece = request.read() as Buffer | null;
      if (piece === null) break;
      pieces.push(piece);
      bytes += piece.length;
    }
    const isTooLong = bytes > MAX_KEPT_BYTES;
    if (!request.complete && !isTooLong) return;
    request.off('readable', look);
    const read = pieces.length === 1 ? (pieces[0] ?? NO_BODY) : Buffer.concat(pieces);
    if (isTooLong) request.unshift(read);
    done(isTooLong ? undefined : read);
  };
  request.on('readable', look);
}

/**
 * Keeps a copy of a body that is read elsewhere.
 *
 * @returns a function that returns the whole body, or undefined while it is incomplete, or if it is too long
 * to be kept
 */
export function keepBody(request: IncomingMessage): () => Buffer | undefined {
  if (!hasBody(request)) return () => NO_BODY;
  const pieces: Buffer[] = [];
  let bytes = 0;
  // Unlike `on`, this does not start the flow: the reader begins when ready.
  request.prependListener('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= MAX_KEPT_BYTES) pieces.push(piece);
    else pieces.length = 0;
  });
  return () => (request.complete && bytes <= MAX_KEPT_BYTES ? Buffer.concat(pieces) : undefined);
}

/** Returns a request as the caller sent it, except for its connection's headers. */
export function toHttpRequest(request: IncomingMessage, body: Buffer): HttpRequest {
  const { method = '', url = '', rawHeaders } = request;
  // The body determines its length.
  const headers = toPairs(endToEnd(rawHeaders, (name) => name === 'content-length'));
  return { method, target: originForm(url), headers, body };
}

/**
 * The body of a request, for a library that destroys its input on failure: the caller's connection must
 * survive that, for the answer.
 */
class CallerBody extends Readable {
  constructor(request: IncomingMessage) {
    super({
      read: () => {
        request.resume();
      },
    });
    request.on('data', (piece: Buffer) => {
      // Data that arrives after that is dropped.
      if (!this.destroyed && !this.push(piece)) request.pause();
    });
    request.once('end', () => {
      this.push(null);
    });
    // The reader may have gone by then.
    this.on('error', () => undefined);
    request.once('close', () => {
      if (!request.complete) this.destroy(new Error('The caller has disconnected.'));
    });
  }
}

/**
 * Outcome: answered; the old server was unreachable, or disconnected before answering; it was silent for too
 * long; it broke off its answer; the caller disconnected; the request cannot be forwarded.
 */
export type ForwardOutcome = 'answered' | 'unreachable' | 'silent' | 'broken' | 'gone' | 'unsendable';

export interface ForwardEnd {
  readonly outcome: ForwardOutcome;
  /** Status of the old server; 0 without an answer. */
  readonly status: number;
  /** One word for the error. */
  readonly error: string | undefined;
}

/** Observes an answer as it passes. It may keep whole pieces or copies of them, but no slices. */
export interface Watcher {
  onHead(status: number, headers: readonly Header[]): void;
  onPiece(piece: Buffer): void;
}

interface ForwardOptions {
  readonly old: OldServer;
  readonly request: Request;
  readonly response: Response;
  /** The whole body if it has been read; otherwise it is streamed. */
  readonly body: Buffer | undefined;
  /** Maximum time for which the caller may read nothing of its answer, in milliseconds. */
  readonly unreadMs: number;
  readonly watcher?: Watcher | undefined;
  /** Replacement for the old server's own address in documents. */
  readonly readdress?: AddressChange | undefined;
  /** Answers the caller if the old server does not; default: a page with 502. */
  readonly instead?: (() => void) | undefined;
  /** Trace context for the old server; default: the caller's. */
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
  // For example two hosts: an ambiguous request is not forwarded.
  UND_ERR_INVALID_ARG: 'unsendable',
};

/** Forwards a request to the old server, and its answer back as it arrives, exactly once. */
export function forward(options: ForwardOptions): void {
  const { old, request, body, readdress, trace } = options;
  const passage = new Passage(options);
  const streamed = body === undefined && hasBody(request) ? new CallerBody(request) : null;
  old.send(
    {
      method: request.method,
      // A server takes the host from a target in absolute form; we checked the Host header.
      path: originForm(request.url),
      // A document can only be changed if it is not compressed.
      headers: requestHeaders(request, readdress === undefined ? [] : ['accept-encoding'], trace),
      body: body ?? streamed,
    },
    passage,
    request.socket,
    request.rawHeaders,
  );
}

/** A request in transit. */
class Passage implements Dispatcher.DispatchHandler {
  readonly #options: ForwardOptions;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #isDone = false;
  #unread: NodeJS.Timeout | undefined;
  /** Starts with the first interim answer (1xx): undici restarts its own timeout after each. */
  #interim: NodeJS.Timeout | undefined;
  readonly #out: AnswerWriter;

  constructor(options: ForwardOptions) {
    this.#options = options;
    const { request, response, readdress } = options;
    const direct = new DirectWriter(response);
    this.#out = readdress === undefined ? direct : new ReaddressingWriter(direct, readdress);
    // A caller that closes its side has usually gone, and the old server may save its work.
    const { socket } = request;
    const end = (): void => void response.destroy();
    socket.once('end', end);
    response.once('close', () => {
      socket.off('end', end);
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
      // An interim answer is for this connection only.
      this.#interim ??= setTimeout(() => this.#controller?.abort(new OnlyInterimAnswers()), old.silenceMs);
      return;
    }
    clearTimeout(this.#interim);
    const raw = texts(controller.rawHeaders);
    const codings = parseTokens(findHeaders({ headers: toPairs(raw) }, 'transfer-encoding').join());
    // undici only undoes chunked, and the header that names the others is dropped as hop-by-hop.
    if (codings.some((coding) => coding !== 'chunked')) throw new UnknownCoding();
    this.#status = status;
    const isBodiless = status === 204 || status === 304;
    // A 204 has no length either (RFC 9110, section 8.6): clients would wait for that many bytes.
    this.#out.head(
      status,
      reasonPhrase(message),
      endToEnd(raw, (name) => status === 204 && name === 'content-length'),
    );
    watcher?.onHead(status, toPairs(raw));
    if (!isBodiless) return;
    // Ended here, because undici takes a length without a body for a broken answer.
    this.#out.end();
    this.#end('answered');
    const announced = findHeader({ headers: toPairs(raw) }, 'content-length') ?? '0';
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
    if (trailers.length > 0) response.addTrailers(toPairs(trailers));
    this.#out.end();
    this.#end('answered');
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.#isDone) return;
    const { response, instead } = this.#options;
    if (response.headersSent) {
      // The caller must notice that the answer is incomplete.
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

/** Thrown for an answer with an unsupported transfer coding. */
class UnknownCoding extends Error {
  readonly code = 'UNKNOWN_TRANSFER_CODING';
}

/** Thrown when the old server sent only interim answers (1xx) until the time limit. */
class OnlyInterimAnswers extends Error {
  readonly code = 'ONLY_INTERIM_ANSWERS';
}

/**
 * Returns a valid reason phrase for a status line: undici reads its bytes as UTF-8, Node writes each
 * character as one byte and refuses control characters.
 */
function reasonPhrase(message: string): string {
  return Buffer.from(message, 'utf8').toString('latin1').replace(NOT_IN_A_PHRASE, ' ');
}

/** Matches characters other than tabs, visible ones, and bytes beyond ASCII (RFC 9112, section 4). */
const NOT_IN_A_PHRASE = /[^\t\x20-\x7e\x80-\xff]/g;

/** Converts undici's raw headers, names and values alternating, to text; Latin-1 preserves their bytes. */
function texts(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  return Array.isArray(raw) ? raw.map((text: Buffer | string) => text.toString('latin1' as never)) : [];
}
