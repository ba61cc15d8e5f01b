import { type IncomingMessage, request as ask, type Server } from 'node:http';
import { duplexPair } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { type Header, type HttpAnswer, type HttpRequest, pairsOf } from '../messages';
import { compareAnswers } from '../verdict/compare-answers';
import { inflate } from '../verdict/inflate';
import type { Verdict } from '../verdict/verdict';
import type { DoorCall } from './door-report';
import type { Watcher } from './forwarding';

/** Why there is no answer of ours. */
type OwnFailure = 'late' | 'too_large' | 'failed';

interface OwnSideOptions {
  /** Answers as this service would, and listens to nobody. */
  readonly server: Server;
  readonly timeoutMs: number;
  /** Longest answer that is taken. */
  readonly mostBytes: number;
}

/**
 * What this service would answer. It is asked over connections in memory: nobody else can reach it there, and what it
 * is asked and answers goes through the same code as over any other connection.
 */
class OwnSide {
  readonly #options: OwnSideOptions;

  constructor(options: OwnSideOptions) {
    this.#options = options;
  }

  /** @param remoteAddress of the caller */
  ask(
    { method, target, headers, body }: HttpRequest,
    remoteAddress: string | undefined,
  ): Promise<HttpAnswer | OwnFailure> {
    const { server, timeoutMs, mostBytes } = this.#options;
    const [ours, theirs] = duplexPair();
    // Whoever asks a connection where it comes from.
    server.emit('connection', Object.assign(theirs, { remoteAddress }));
    return new Promise((resolve) => {
      const length: readonly Header[] = body.length > 0 ? [['Content-Length', String(body.length)]] : [];
      const end = (outcome: HttpAnswer | OwnFailure): void => {
        clearTimeout(late);
        ours.destroy();
        theirs.destroy();
        resolve(outcome);
      };
      // The two ends of such a connection do not tell each other when one breaks off.
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
      asked.on('error', () => {
        end('failed');
      });
      asked.on('response', (response) => {
        readAnswer(response, mostBytes, end);
      });
      asked.end(body);
    });
  }
}

function readAnswer(
  response: IncomingMessage,
  mostBytes: number,
  end: (outcome: HttpAnswer | OwnFailure) => void,
): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  response.on('data', (piece: Buffer) => {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > mostBytes) end('too_large');
  });
  response.on('error', () => {
    end('failed');
  });
  response.on('end', () => {
    const { statusCode: status = 0, rawHeaders } = response;
    end({ status, headers: pairsOf(rawHeaders), body: Buffer.concat(pieces) });
  });
}

/**
 * Why a call that was to be compared was not: there were too many at once; its body or one of the answers is too
 * long; ours came too late, or not at all.
 */
export type NotCompared = 'dropped' | OwnFailure;

/** Told what came of each call that was to be compared. */
export interface ShadowObserver {
  compared(call: DoorCall, request: HttpRequest, verdict: Verdict): void;
  notCompared(call: DoorCall, why: NotCompared): void;
  close(): void;
}

interface ShadowOptions extends Omit<OwnSideOptions, 'mostBytes'> {
  /** Most calls that are being compared at once, from their first byte to the verdict. */
  readonly concurrency: number;
  readonly observer: ShadowObserver;
}

/** An answer that is longer, as it comes or inflated, is not compared: that would hold up everybody else. */
const MOST_COMPARED_BYTES = 512 * 1024;

/** What is to be compared, and looks on until the old server has answered. */
export interface ShadowWatch extends Watcher {
  /** @param isWhole whether the old server's answer came to its end */
  end(isWhole: boolean): void;
}

/**
 * Works out our own answers to calls that the old server answers, and compares the two. Nothing of it reaches a
 * caller: our answer is asked for when the caller has its own, and what goes beyond the bounds is dropped.
 */
export class Shadow {
  readonly #options: ShadowOptions;
  readonly #ownSide: OwnSide;
  #underWay = 0;

  constructor(options: ShadowOptions) {
    this.#options = options;
    this.#ownSide = new OwnSide({ ...options, mostBytes: MOST_COMPARED_BYTES });
  }

  /**
   * Begins with a call.
   *
   * @param request undefined where its body is too long to be kept
   * @returns undefined where it is not to be compared
   */
  begin(
    call: DoorCall,
    request: HttpRequest | undefined,
    remoteAddress: string | undefined,
  ): ShadowWatch | undefined {
    const { concurrency, observer } = this.#options;
    if (request === undefined || this.#underWay >= concurrency) {
      observer.notCompared(call, request === undefined ? 'too_large' : 'dropped');
      return undefined;
    }
    this.#underWay += 1;
    const answer = new KeptAnswer();
    return {
      onHead: answer.onHead.bind(answer),
      onPiece: answer.onPiece.bind(answer),
      end: (isWhole) => {
        void this.#finish(call, request, remoteAddress, isWhole ? answer : undefined);
      },
    };
  }

  close(): void {
    this.#options.observer.close();
  }

  /** @param answer undefined where there is none of the old server's */
  async #finish(
    call: DoorCall,
    request: HttpRequest,
    remoteAddress: string | undefined,
    answer: KeptAnswer | undefined,
  ): Promise<void> {
    try {
      const outcome = answer && (await this.#judge(request, remoteAddress, answer));
      if (typeof outcome === 'string') this.#options.observer.notCompared(call, outcome);
      else if (outcome !== undefined) this.#options.observer.compared(call, request, outcome);
    } catch {
      this.#options.observer.notCompared(call, 'failed');
    } finally {
      this.#underWay -= 1;
    }
  }

  async #judge(
    request: HttpRequest,
    remoteAddress: string | undefined,
    answer: KeptAnswer,
  ): Promise<Verdict | NotCompared> {
    const sent = answer.whole;
    // What a few bytes become counts, too: one list in gzip would hold the event loop for seconds.
    const old = sent && (await inflate(sent, MOST_COMPARED_BYTES));
    if (old === undefined) return 'too_large';
    // Those who wait for their answers come first.
    await nextTurn();
    const asked = await this.#ownSide.ask(request, remoteAddress);
    if (typeof asked === 'string') return asked;
    const ours = await inflate(asked, MOST_COMPARED_BYTES);
    return ours === undefined ? 'too_large' : compareAnswers(old, ours, { request });
  }
}

/** An answer as it passes, as long as there is room for it. */
class KeptAnswer {
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
    if (this.#bytes <= MOST_COMPARED_BYTES) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  /** Undefined where it is too long. */
  get whole(): HttpAnswer | undefined {
    if (this.#bytes > MOST_COMPARED_BYTES) return undefined;
    return { status: this.#status, headers: this.#headers, body: Buffer.concat(this.#pieces) };
  }
}
