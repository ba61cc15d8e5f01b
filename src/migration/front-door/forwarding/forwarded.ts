import type { Request, Response } from 'express';
import type { Dispatcher } from 'undici';

import {
  errorPage,
  type HttpResponse,
  originForm,
  refuseBody,
  sendResponse,
  type TraceContext,
} from '../../../asmx';
import { errorWord } from '../../../support/errors';
import { type Header, headerOf, headersOf, pairsOf, tokensOf } from '../../messages';
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
  /** Runs from the first interim answer (1xx) on: undici waits anew after each. */
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
    if (request.method !== 'HEAD' && announced !== '0') controller.abort(new Error('No body was to follow.'));
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
