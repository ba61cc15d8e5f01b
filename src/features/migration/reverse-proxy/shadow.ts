import { type IncomingMessage, request as ask, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { type Header, type HttpAnswer, type HttpRequest, toPairs } from '../messages';
import { compareAnswers } from '../verdict/compare-answers';
import { inflate } from '../verdict/inflate';
import type { Verdict } from '../verdict/verdict';
import type { ForwardedCall } from './forwarding-report';
import type { Watcher } from './forwarding';

/** Reason why our own server gave no answer. */
type OwnFailure = 'late' | 'too_large' | 'failed';

/** Limits and server for this service's own answers. */
interface OwnServer {
  /** Server that answers like this service, without a port. */
  readonly server: Server;
  readonly timeoutMs: number;
}

/**
 * Returns this service's own answer, over an in-memory connection: no one else can reach that server, and
 * requests take the same code path as over any other connection.
 *
 * @param remoteAddress address of the caller
 */
function askOwn(
  { server, timeoutMs }: OwnServer,
  { method, target, headers, body }: HttpRequest,
  remoteAddress: string | undefined,
): Promise<HttpAnswer | OwnFailure> {
  const [ours, theirs] = duplexPair();
  // For code that reads the address of a connection.
  server.emit('connection', Object.assign(theirs, { remoteAddress }));
  return new Promise((resolve) => {
    const length: readonly Header[] = body.length > 0 ? [['Content-Length', String(body.length)]] : [];
    const end = (outcome: HttpAnswer | OwnFailure): void => {
      clearTimeout(late);
      ours.destroy();
      theirs.destroy();
      resolve(outcome);
    };
    // The ends of such a connection do not notice when the other one breaks off.
    theirs.once('close', () => {
      if (!theirs.writableFinished) end('failed');
    });
    const late = setTimeout(end, timeoutMs, 'late');
    const asked = ask({
      createConnection: () => ours,
      method,
      path: target,
      headers: [...headers, ...length].flat(),
    });
    asked.on('error', () => end('failed'));
    asked.on('response', (response) => readAnswer(response, end));
    asked.end(body);
  });
}

function readAnswer(response: IncomingMessage, end: (outcome: HttpAnswer | OwnFailure) => void): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > MAX_COMPARED_BYTES) end('too_large');
  });
  response.on('error', () => end('failed'));
  response.on('end', () => {
    const { statusCode: status = 0, rawHeaders } = response;
    end({ status, headers: toPairs(rawHeaders), body: Buffer.concat(pieces) });
  });
}

/**
 * Reason why a call was not compared: too many at once; its body or an answer too long; our answer late or
 * missing.
 */
export type NotCompared = 'dropped' | OwnFailure;

/** Called with the result of each comparison. */
export interface ShadowObserver {
  compared(call: ForwardedCall, request: HttpRequest, verdict: Verdict): void;
  notCompared(call: ForwardedCall, why: NotCompared): void;
  close(): void;
}

interface ShadowOptions extends OwnServer {
  /** Maximum number of concurrent comparisons, from a call's first byte to the verdict. */
  readonly concurrency: number;
  readonly observer: ShadowObserver;
}

/** Longer answers, compressed or not, are not compared: that would delay other requests. */
const MAX_COMPARED_BYTES = 512 * 1024;

/** Decides whether to compare a call, and observes it until the old server has answered. */
export interface ShadowWatch extends Watcher {
  /** @param isWhole true if the old server's answer is complete */
  end(isWhole: boolean): void;
}

/**
 * Compares our own answers to calls with those of the old server. Callers are not affected: our answer is
 * computed after the caller has its own, and calls beyond the limits are dropped.
 */
export class Shadow {
  readonly #options: ShadowOptions;
  #underWay = 0;

  constructor(options: ShadowOptions) {
    this.#options = options;
  }

  /**
   * Begins with a call.
   *
   * @param request undefined if its body is too long to be kept
   * @param done called once the answers are compared
   * @returns undefined if it is not compared
   */
  begin(
    call: ForwardedCall,
    request: HttpRequest | undefined,
    remoteAddress: string | undefined,
    done: (verdict: Verdict) => void,
  ): ShadowWatch | undefined {
    const { concurrency, observer } = this.#options;
    if (request === undefined || this.#underWay >= concurrency) {
      observer.notCompared(call, request === undefined ? 'too_large' : 'dropped');
      return undefined;
    }
    this.#underWay += 1;
    const answer = new BufferedAnswer();
    return {
      onHead: answer.onHead.bind(answer),
      onPiece: answer.onPiece.bind(answer),
      end: (isWhole) => void this.#finish(call, request, remoteAddress, isWhole ? answer : undefined, done),
    };
  }

  close(): void {
    this.#options.observer.close();
  }

  /** @param answer undefined without an answer from the old server */
  async #finish(
    call: ForwardedCall,
    request: HttpRequest,
    remoteAddress: string | undefined,
    answer: BufferedAnswer | undefined,
    done: (verdict: Verdict) => void,
  ): Promise<void> {
    try {
      const outcome = answer && (await this.#compare(request, remoteAddress, answer));
      if (typeof outcome === 'string') this.#options.observer.notCompared(call, outcome);
      else if (outcome !== undefined) {
        this.#options.observer.compared(call, request, outcome);
        done(outcome);
      }
    } catch {
      this.#options.observer.notCompared(call, 'failed');
    } finally {
      this.#underWay -= 1;
    }
  }

  async #compare(
    request: HttpRequest,
    remoteAddress: string | undefined,
    answer: BufferedAnswer,
  ): Promise<Verdict | NotCompared> {
    const sent = answer.whole;
    // The decompressed size counts, too: one list in gzip could block the event loop for seconds.
    const old = sent && (await inflate(sent, MAX_COMPARED_BYTES));
    if (old === undefined) return 'too_large';
    // Waiting callers come first.
    await nextTurn();
    const asked = await askOwn(this.#options, request, remoteAddress);
    if (typeof asked === 'string') return asked;
    const ours = await inflate(asked, MAX_COMPARED_BYTES);
    return ours === undefined ? 'too_large' : compareAnswers(old, ours, { request });
  }
}

/** Collects an answer as it passes, while there is room for it. */
class BufferedAnswer {
  #status = 0;
  #headers: readonly Header[] = [];
  #pieces: Buffer[] = [];
  #bytes = 0;

  onHead(status: number, headers: readonly Header[]): void {
    this.#status = status;
    this.#headers = headers;
  }

  onPiece(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes <= MAX_COMPARED_BYTES) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  /** Undefined if it is too long. */
  get whole(): HttpAnswer | undefined {
    if (this.#bytes > MAX_COMPARED_BYTES) return undefined;
    return { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#pieces) };
  }
}
