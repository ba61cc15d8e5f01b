import type { NextFunction, Request, RequestHandler, Response } from 'express';

import type { Asmx, Exchange } from '../../../asmx';
import {
  type AttemptedCall,
  type HttpResponse,
  sendResponse,
  type TraceContext,
} from '../../../asmx/internal';
import type { Config, Reloadable } from '../../../config';
import type { Tracing } from '../../../telemetry';
import { NO_BODY } from '../messages';
import { Cutover, type KnownOperation } from './cutover';
import type { ForwardedCall } from './forwarding-report';
import { addressChange } from './forwarded-headers';
import {
  forward,
  type ForwardEnd,
  hasBody,
  keepBody,
  mayBeKept,
  toHttpRequest,
  readStart,
  sayContinue,
} from './forwarding';
import { OldServer } from './old-server';
import type { Recorder } from './recorder';
import type { Verdict } from '../verdict/verdict';
import type { Shadow, ShadowWatch } from './shadow';

/** Called for each forwarded request when it has ended. */
type ForwardingObserver = (
  call: ForwardedCall,
  request: Request,
  end: ForwardEnd,
  durationMs: number,
  trace: TraceContext | undefined,
) => void;

export interface ReverseProxyOptions {
  readonly oldUrl: string;
  readonly oldSilenceMs: number;
  /** Address under which callers reach this server, unless it is learnt from requests. */
  readonly publicAddress: string | undefined;
  readonly connections: number;
  /** Maximum time for which a caller may read nothing of its answer, in milliseconds. */
  readonly unreadMs: number;
  readonly cutoverFile: string | undefined;
  readonly operations: readonly KnownOperation[];
  /** Answers the operations that have been cut over. */
  readonly ours: Pick<Asmx, 'handle' | 'middleware' | 'recognition'>;
  /** Paths that are never forwarded, even if the old server has them. */
  readonly ownPaths: ReadonlySet<string>;
  readonly shadow: Shadow | undefined;
  /** Records calls and other requests to the endpoints. */
  readonly recorder: Pick<Recorder, 'record' | 'close' | 'isOn' | 'use'>;
  readonly observe: ForwardingObserver;
  /** Returns a function that is called when the answers to a request have been compared. */
  readonly observeCompared: (call: ForwardedCall, request: Request) => (verdict: Verdict) => void;
  /**
   * Called at the start and then every ten seconds, while the old server is needed. Default: it is not
   * probed.
   */
  readonly onProbe?: (isAccepting: boolean) => void;
  readonly trace: Tracing['tracePassage'];
}

const PROBE_MS = 10_000;

/**
 * The reverse proxy in front of the old server: forwards requests to it, or has them answered here, according
 * to the cutover file.
 */
export class ReverseProxy implements Reloadable {
  readonly settings = ['CUTOVER_FILE', 'RECORD_FILE'] as const;
  readonly #options: ReverseProxyOptions;
  readonly #old: OldServer;
  readonly #cutover: Cutover;
  #probing: NodeJS.Timeout | undefined;

  private constructor(options: ReverseProxyOptions, old: OldServer) {
    this.#options = options;
    this.#old = old;
    this.#cutover = new Cutover(options.cutoverFile, options.operations);
    const { onProbe } = options;
    if (onProbe === undefined) return;
    const probe = (): void => {
      if (this.needsOldServer) void old.probe().then(onProbe);
    };
    probe();
    this.#probing = setInterval(probe, PROBE_MS).unref();
  }

  /** @throws OperatorError if the file cannot be used */
  static async open(options: ReverseProxyOptions): Promise<ReverseProxy> {
    const { oldUrl: url, oldSilenceMs: silenceMs, connections } = options;
    return new ReverseProxy(options, await OldServer.open({ url, silenceMs, connections }));
  }

  /** Answers every request except those for its own paths, which it passes on. */
  readonly middleware: RequestHandler = (request, response, next) => {
    const { ownPaths, ours } = this.#options;
    if (ownPaths.has(request.path)) {
      next();
      return;
    }
    const sought = ours.recognition.byHead(request);
    if (sought === undefined) this.#pass(request, response, undefined, UNKNOWN);
    else if (sought !== 'document') this.#answerCall(request, response, next, sought);
    else if (this.#cutover.isAllNew) this.#answerHere(request, response, next, DOCUMENT);
    else this.#pass(request, response, undefined, DOCUMENT);
  };

  /**
   * Reloads the cutover file and begins or ends the recording; both take effect with the next request.
   *
   * @throws OperatorError if the cutover file cannot be used; then nothing has changed
   */
  reload({ RECORD_FILE: recording }: Pick<Config, 'RECORD_FILE'>): void {
    this.#cutover.reload();
    this.#options.recorder.use(recording);
  }

  /** True if the old server still answers some requests, at least as a fallback. */
  get needsOldServer(): boolean {
    return !this.#cutover.isAllNew || this.#cutover.hasFallback;
  }

  /** Closes the connections to the old server. */
  async close(): Promise<void> {
    clearInterval(this.#probing);
    this.#options.shadow?.close();
    await Promise.all([this.#old.close(), this.#options.recorder.close()]);
  }

  #answerCall(request: Request, response: Response, next: NextFunction, sought: AttemptedCall): void {
    const call = this.#toCall(sought);
    // A head without an operation leaves that to the body, which is read if it makes a difference.
    const isOpen = call.operation === undefined && !this.#cutover.isAllNew;
    if (!isOpen && (call.mode === 'new' || call.mode === 'fallback')) {
      this.#answerHere(request, response, next, call);
    } else if (!hasBody(request)) {
      this.#pass(request, response, NO_BODY, call);
    } else if (!mayBeKept(request)) {
      this.#pass(request, response, undefined, call);
    } else {
      sayContinue(request, response);
      readStart(request, (body) => this.#answerRead(request, response, next, body, call));
    }
  }

  /** @param body undefined if it is too long to be kept */
  #answerRead(
    request: Request,
    response: Response,
    next: NextFunction,
    body: Buffer | undefined,
    byHead: ForwardedCall,
  ): void {
    const isOpen = byHead.operation === undefined && body !== undefined;
    const call = isOpen ? this.#toCall(this.#options.ours.recognition.byBody(request, body)) : byHead;
    if (call.mode === 'new' || call.mode === 'fallback') {
      // Puts the body back, as if unread.
      request.unshift(body);
      this.#answerHere(request, response, next, call);
    } else this.#pass(request, response, body, call);
  }

  #toCall({ operation, bindings: [binding] }: AttemptedCall): ForwardedCall {
    const cutover = this.#cutover;
    if (operation !== undefined) return { operation, binding, mode: cutover.findMode(operation, binding) };
    return { operation, binding, mode: cutover.isAllNew ? 'new' : 'old' };
  }

  #answerHere(request: Request, response: Response, next: NextFunction, call: ForwardedCall): void {
    const { ours, recorder } = this.#options;
    // If the body names the operation, it may be one with a fallback.
    const mayFallBack =
      call.mode === 'fallback' || (call.operation === undefined && this.#cutover.hasFallback);
    if (mayFallBack || recorder.isOn) {
      const body = keepBody(request);
      whenRead(request, () => this.#record(request, body()));
      if (mayFallBack) {
        ours.handle(request, response, next, (exchange, answer) =>
          this.#fallBack(request, response, body(), exchange, answer),
        );
        return;
      }
    }
    void ours.middleware(request, response, next);
  }

  /** Lets the old server answer a reading call that failed here, if the file says so. */
  #fallBack(
    request: Request,
    response: Response,
    body: Buffer | undefined,
    { operation, binding, trace }: Exchange,
    answer: HttpResponse,
  ): boolean {
    // Decided by the operation actually called; a sending one never falls back.
    const isIt = this.#cutover.findMode(operation ?? '', binding ?? '') === 'fallback';
    if (!isIt || body === undefined) return false;
    const instead = (): void => sendResponse(response, answer);
    this.#forward(request, response, body, { operation, binding, mode: 'fallback' }, { instead, trace });
    return true;
  }

  #pass(request: Request, response: Response, body: Buffer | undefined, call: ForwardedCall): void {
    if (call !== UNKNOWN) this.#record(request, hasBody(request) ? body : NO_BODY);
    const { trace, end } = this.#options.trace(request);
    this.#forward(request, response, body, call, {
      trace,
      ended: (how) => end(call, how),
    });
  }

  #forward(
    request: Request,
    response: Response,
    body: Buffer | undefined,
    call: ForwardedCall,
    { instead, trace, ended }: Passing,
  ): void {
    const { oldUrl, publicAddress } = this.#options;
    const start = performance.now();
    const watch = call.mode === 'shadow' ? this.#watch(request, body, call) : undefined;
    forward({
      old: this.#old,
      request,
      response,
      body,
      unreadMs: this.#options.unreadMs,
      watcher: watch,
      readdress: call === DOCUMENT ? addressChange(request, oldUrl, publicAddress) : undefined,
      instead,
      trace,
      done: (end) => {
        ended?.(end);
        watch?.end(end.outcome === 'answered');
        this.#options.observe(call, request, end, performance.now() - start, trace);
      },
    });
  }

  #record(request: Request, body: Buffer | undefined): void {
    const { recorder } = this.#options;
    if (recorder.isOn) recorder.record(body && toHttpRequest(request, body));
  }

  #watch(request: Request, body: Buffer | undefined, call: ForwardedCall): ShadowWatch | undefined {
    const { shadow, observeCompared } = this.#options;
    const message = body && toHttpRequest(request, body);
    return shadow?.begin(call, message, request.socket.remoteAddress, observeCompared(call, request));
  }
}

/** Special treatment of a forwarded request. */
interface Passing {
  /** Answers the caller if the old server does not; default: a page. */
  readonly instead?: () => void;
  readonly trace: TraceContext | undefined;
  readonly ended?: (end: ForwardEnd) => void;
}

/** Calls back once a request's body has been read, or at once if there is none. */
function whenRead(request: Request, act: () => void): void {
  if (hasBody(request)) request.once('end', act);
  else act();
}

const UNKNOWN: ForwardedCall = { operation: undefined, binding: undefined, mode: 'old' };
const DOCUMENT: ForwardedCall = { ...UNKNOWN, binding: 'document' };
