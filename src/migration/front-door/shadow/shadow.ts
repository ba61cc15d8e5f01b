import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Header, HttpAnswer, HttpRequest } from '../../messages';
import { compareAnswers, inflate, type Verdict } from '../../verdict';
import type { DoorCall } from '../door-report';
import type { Watcher } from '../forwarding';
import { type OwnFailure, OwnSide, type OwnSideOptions } from './own-side';

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

export interface ShadowOptions extends Omit<OwnSideOptions, 'mostBytes'> {
  /** Most calls that are being compared at once, from their first byte to the verdict. */
  readonly concurrency: number;
  readonly observer: ShadowObserver;
}

/** An answer that is longer, as it comes or inflated, is not compared: that would hold up everybody else. */
export const MOST_COMPARED_BYTES = 512 * 1024;

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
