import type { NextFunction, Request, RequestHandler, Response } from 'express';

import {
  type Asmx,
  type AttemptedCall,
  type Exchange,
  type HttpResponse,
  sendResponse,
  type TraceContext,
} from '../../asmx';
import type { Reloadable } from '../../config';
import { NO_BODY } from '../messages';
import { CutOver, type KnownOperation } from './cutover';
import type { DoorCall } from './door-report';
import { addressChange } from './forwarded-headers';
import {
  forward,
  type ForwardEnd,
  hasBody,
  keepBody,
  mayBeKept,
  messageOf,
  readStart,
  sayContinue,
} from './forwarding';
import { OldServer } from './old-server';
import type { Recorder } from './recorder';
import type { Shadow, ShadowWatch } from './shadow';

/** Told of each request that was passed on, when it has ended. */
type DoorObserver = (
  call: DoorCall,
  request: Request,
  end: ForwardEnd,
  durationMs: number,
  trace: TraceContext | undefined,
) => void;

export interface FrontDoorOptions {
  /** Origin of the old server. */
  readonly oldUrl: string;
  readonly oldSilenceMs: number;
  /** Where callers reach the door, if it does not learn that from requests. */
  readonly publicAddress: string | undefined;
  /** Most connections to the old server. */
  readonly connections: number;
  /** Longest time a caller may read nothing of its answer, in milliseconds. */
  readonly unreadMs: number;
  /** Path of the file that says who answers what. */
  readonly cutOverFile: string | undefined;
  readonly operations: readonly KnownOperation[];
  /** Answers what is new. */
  readonly ours: Pick<Asmx, 'handle' | 'middleware' | 'recognition'>;
  /** Paths that are not the old server's business, whatever it has there. */
  readonly ownPaths: ReadonlySet<string>;
  /** Compares what the file says is to be compared. */
  readonly shadow: Shadow | undefined;
  /** Records calls, and what else is asked of the endpoints. */
  readonly recorder: Pick<Recorder, 'record' | 'close'> | undefined;
  readonly observe: DoorObserver;
  /** Follows each request that is passed on. */
  readonly trace: (request: Request) => TracedPassage;
}

interface TracedPassage {
  /** What the old server is told that the request is a part of; undefined leaves it what the caller said. */
  readonly trace: TraceContext | undefined;
  readonly end: (call: DoorCall, end: ForwardEnd) => void;
}

/** Stands before the old server: passes requests on to it, or has them answered here, as the file says. */
export class FrontDoor implements Reloadable {
  readonly settings = ['CUTOVER_FILE'] as const;
  readonly #options: FrontDoorOptions;
  readonly #old: OldServer;
  readonly #cutOver: CutOver;

  private constructor(options: FrontDoorOptions, old: OldServer) {
    this.#options = options;
    this.#old = old;
    this.#cutOver = new CutOver(options.cutOverFile, options.operations);
  }

  /** @throws OperatorError when the file cannot be used */
  static async open(options: FrontDoorOptions): Promise<FrontDoor> {
    const { oldUrl: url, oldSilenceMs: silenceMs, connections } = options;
    return new FrontDoor(options, await OldServer.open({ url, silenceMs, connections }));
  }

  /** Answers every request but those for its own paths, which go on. */
  readonly middleware: RequestHandler = (request, response, next) => {
    const { ownPaths, ours } = this.#options;
    if (ownPaths.has(request.path)) {
      next();
      return;
    }
    const sought = ours.recognition.byHead(request);
    if (sought === undefined) this.#pass(request, response, undefined, UNKNOWN);
    else if (sought === 'document') this.#answerDocument(request, response, next);
    else this.#answerCall(request, response, next, sought);
  };

  /**
   * Reads the file again; what it says counts from the next request on.
   *
   * @throws OperatorError when it cannot be used; then nothing has changed
   */
  reload(): void {
    this.#cutOver.reload();
  }

  /** Whether the old server answers some requests, at least when this service fails. */
  get needsOldServer(): boolean {
    return !this.#cutOver.isAllNew || this.#cutOver.hasFallback;
  }

  /** Ends the connections to the old server. */
  async close(): Promise<void> {
    this.#options.shadow?.close();
    await Promise.all([this.#old.close(), this.#options.recorder?.close()]);
  }

  #answerDocument(request: Request, response: Response, next: NextFunction): void {
    if (this.#cutOver.isAllNew) this.#answerHere(request, response, next, DOCUMENT);
    else this.#pass(request, response, undefined, DOCUMENT);
  }

  #answerCall(request: Request, response: Response, next: NextFunction, sought: AttemptedCall): void {
    const call = this.#callOf(sought);
    // A head that names no operation leaves that to the body, which is looked at where it makes a difference.
    const isOpen = call.operation === undefined && !this.#cutOver.isAllNew;
    if (!isOpen && (call.mode === 'new' || call.mode === 'fallback')) {
      this.#answerHere(request, response, next, call);
    } else if (!hasBody(request)) {
      this.#pass(request, response, NO_BODY, call);
    } else if (!mayBeKept(request)) {
      this.#pass(request, response, undefined, call);
    } else {
      sayContinue(request, response);
      readStart(request, (body) => {
        this.#answerRead(request, response, next, body, call);
      });
    }
  }

  /** @param body undefined where it is longer than what is kept */
  #answerRead(
    request: Request,
    response: Response,
    next: NextFunction,
    body: Buffer | undefined,
    byHead: DoorCall,
  ): void {
    const isOpen = byHead.operation === undefined && body !== undefined;
    const call = isOpen ? this.#callOf(this.#options.ours.recognition.byBody(request, body)) : byHead;
    if (call.mode === 'new' || call.mode === 'fallback') {
      // As if nobody had read it.
      request.unshift(body);
      this.#answerHere(request, response, next, call);
    } else this.#pass(request, response, body, call);
  }

  #callOf({ operation, bindings: [binding] }: AttemptedCall): DoorCall {
    const { isAllNew } = this.#cutOver;
    if (operation === undefined) return { operation, binding, mode: isAllNew ? 'new' : 'old' };
    return { operation, binding, mode: this.#cutOver.modeOf(operation, binding) };
  }

  #answerHere(request: Request, response: Response, next: NextFunction, call: DoorCall): void {
    const { ours, recorder } = this.#options;
    // Where the body names the operation, it may be one of those.
    const mayFallBack =
      call.mode === 'fallback' || (call.operation === undefined && this.#cutOver.hasFallback);
    if (mayFallBack || recorder !== undefined) {
      const body = keepBody(request);
      whenRead(request, () => {
        this.#record(request, body());
      });
      if (mayFallBack) {
        ours.handle(request, response, next, (exchange, answer) =>
          this.#standIn(request, response, body(), exchange, answer),
        );
        return;
      }
    }
    void ours.middleware(request, response, next);
  }

  /** Has the old server answer a read that failed here, where the file says so. */
  #standIn(
    request: Request,
    response: Response,
    body: Buffer | undefined,
    { operation, binding, trace }: Exchange,
    answer: HttpResponse,
  ): boolean {
    // By what was really called: a send is never this.
    const isIt = this.#cutOver.modeOf(operation ?? '', binding ?? '') === 'fallback';
    if (!isIt || body === undefined) return false;
    const instead = (): void => {
      sendResponse(response, answer);
    };
    this.#forward(request, response, body, { operation, binding, mode: 'fallback' }, { instead, trace });
    return true;
  }

  #pass(request: Request, response: Response, body: Buffer | undefined, call: DoorCall): void {
    if (call !== UNKNOWN) this.#record(request, hasBody(request) ? body : NO_BODY);
    const { trace, end } = this.#options.trace(request);
    this.#forward(request, response, body, call, {
      trace,
      ended: (how) => {
        end(call, how);
      },
    });
  }

  #forward(
    request: Request,
    response: Response,
    body: Buffer | undefined,
    call: DoorCall,
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
    this.#options.recorder?.record(body && messageOf(request, body));
  }

  #watch(request: Request, body: Buffer | undefined, call: DoorCall): ShadowWatch | undefined {
    return this.#options.shadow?.begin(call, body && messageOf(request, body), request.socket.remoteAddress);
  }
}

/** What is particular about passing a request on. */
interface Passing {
  /** Answers the caller where the old server cannot; default: a page. */
  readonly instead?: () => void;
  readonly trace: TraceContext | undefined;
  readonly ended?: (end: ForwardEnd) => void;
}

/** Acts when a request's body has been read by whoever does, or at once where there is none. */
function whenRead(request: Request, act: () => void): void {
  if (hasBody(request)) request.once('end', act);
  else act();
}

const UNKNOWN: DoorCall = { operation: undefined, binding: undefined, mode: 'old' };
const DOCUMENT: DoorCall = { ...UNKNOWN, binding: 'document' };
