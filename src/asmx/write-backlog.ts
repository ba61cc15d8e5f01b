import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';

/** Limits on answers that their callers have not read yet. */
export interface WriteBacklogLimits {
  /** Maximum time without progress on an answer, in milliseconds. */
  readonly unsentMilliseconds: number;
  /** Maximum total of unread bytes in all answers. */
  readonly unsentBytes: number;
}

interface WaitingResponse {
  readonly response: ServerResponse;
  /** Memory that the answer uses until its last byte is taken, in bytes. */
  readonly bytes: number;
  /** Times in milliseconds: since when it has made no progress, and when Node.js last reported that. */
  stillSince: number;
  reportedAt: number;
}

/** Time without progress after which Node.js reports an answer, in milliseconds. */
const REPORT_AFTER_MS = 1000;

/**
 * Watches answers that the system does not take at once because their callers do not read. A connection has
 * one at a time, and its next request waits for it: a caller can leave at most one answer unread.
 */
export class WriteBacklog {
  readonly #limits: WriteBacklogLimits;
  readonly #onFull: () => void;
  readonly #waiting = new Set<WaitingResponse>();
  readonly #reportAfterMs: number;
  #bytes = 0;

  /** @param onFull called for each connection closed because all answers together exceed the limit */
  constructor(limits: WriteBacklogLimits, onFull: () => void) {
    this.#limits = limits;
    this.#onFull = onFull;
    this.#reportAfterMs = Math.min(REPORT_AFTER_MS, limits.unsentMilliseconds / 4);
  }

  /**
   * @param response not yet taken completely
   * @param bytes of it that are not taken
   */
  watch(response: ServerResponse, bytes: number): void {
    // A connection in memory has no timeout; its other end limits it.
    if (!(response.socket instanceof Socket)) return;
    const now = performance.now();
    const waiting = { response, bytes, stillSince: now, reportedAt: now };
    this.#waiting.add(waiting);
    this.#bytes += bytes;
    response.once('close', () => this.#forget(waiting));
    // Node.js sees progress within a piece, which counts as unsent until its last byte is taken. The timeout
    // ends with the response: then the server sets the one of an idle connection.
    response.setTimeout(this.#reportAfterMs, () => this.#reported(waiting));
    while (this.#bytes > this.#limits.unsentBytes && this.#waiting.size > 1) {
      this.#onFull();
      this.#cut(this.#longestStill());
    }
  }

  /** Called when an answer has made no progress for the interval. */
  #reported(waiting: WaitingResponse): void {
    const now = performance.now();
    // Where it made some, Node.js began the interval again, and reports nothing in between.
    const wasStill = now - waiting.reportedAt < 2 * this.#reportAfterMs;
    if (!wasStill) waiting.stillSince = now - this.#reportAfterMs;
    waiting.reportedAt = now;
    if (now - waiting.stillSince >= this.#limits.unsentMilliseconds) this.#cut(waiting);
    else waiting.response.setTimeout(this.#reportAfterMs);
  }

  /** Returns the answer that has made no progress for the longest time, to an interval. */
  #longestStill(): WaitingResponse {
    return [...this.#waiting].reduce((longest, each) =>
      each.stillSince < longest.stillSince ? each : longest,
    );
  }

  #cut(waiting: WaitingResponse): void {
    waiting.response.socket?.destroy();
    this.#forget(waiting);
  }

  #forget(waiting: WaitingResponse): void {
    if (this.#waiting.delete(waiting)) this.#bytes -= waiting.bytes;
  }
}
