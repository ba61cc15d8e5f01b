import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * Returns the socket under a TLS connection, which the typings leave out; without TLS the connection itself.
 */
export function underlyingSocket(socket: Socket): Socket {
  return socket instanceof TLSSocket ? (socket as unknown as { readonly _parent: Socket })._parent : socket;
}

/** Limits on answers that their callers have not read yet. */
export interface WriteBacklogLimits {
  /** Maximum time without progress on an answer, in milliseconds. */
  readonly unsentMilliseconds: number;
  /** Maximum total of unread bytes in all answers. */
  readonly unsentBytes: number;
}

interface WaitingResponse {
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** Memory that the answer uses until its last byte is taken, in bytes. */
  readonly bytes: number;
  /** Bytes left at the last check, and the time since which that has not changed. */
  left: number;
  sinceMs: number;
}

/** Interval between two checks of the waiting answers, in milliseconds. */
const LOOK_INTERVAL_MS = 1000;

/**
 * Watches answers that the system does not take at once because their callers do not read. A connection has
 * one at a time, and its next request waits for it: a caller can leave at most one answer unread.
 */
export class WriteBacklog {
  readonly #limits: WriteBacklogLimits;
  readonly #onFull: () => void;
  readonly #waiting = new Set<WaitingResponse>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onFull called for each connection closed because all answers together exceed the limit */
  constructor(limits: WriteBacklogLimits, onFull: () => void) {
    this.#limits = limits;
    this.#onFull = onFull;
  }

  /** @param response ended, but not completely taken */
  watch(response: ServerResponse): void {
    const { socket } = response;
    if (socket === null) return;
    const bytes = response.writableLength;
    const waiting = { response, socket, bytes, left: bytesLeft(socket), sinceMs: performance.now() };
    this.#waiting.add(waiting);
    this.#bytes += bytes;
    response.once('close', () => this.#forget(waiting));
    while (this.#bytes > this.#limits.unsentBytes && this.#waiting.size > 1) {
      this.#onFull();
      this.#cut(this.#longestStalled());
    }
    this.#timer ??= setInterval(
      () => this.#cutThoseTooLate(),
      Math.min(LOOK_INTERVAL_MS, this.#limits.unsentMilliseconds / 4),
    ).unref();
  }

  #cutThoseTooLate(): void {
    this.#look();
    const latest = performance.now() - this.#limits.unsentMilliseconds;
    for (const waiting of this.#waiting) if (waiting.sinceMs <= latest) this.#cut(waiting);
  }

  /** Returns the answer that has made no progress for the longest time. */
  #longestStalled(): WaitingResponse {
    this.#look();
    return [...this.#waiting].reduce((longest, each) => (each.sinceMs < longest.sinceMs ? each : longest));
  }

  #look(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      const left = bytesLeft(waiting.socket);
      if (left === waiting.left) continue;
      waiting.left = left;
      waiting.sinceMs = now;
    }
  }

  #cut(waiting: WaitingResponse): void {
    waiting.socket.destroy();
    this.#forget(waiting);
  }

  #forget(waiting: WaitingResponse): void {
    if (!this.#waiting.delete(waiting)) return;
    this.#bytes -= waiting.bytes;
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * Returns the number of bytes that a socket still has to send. Node counts a piece as unsent until its last
 * byte is taken; only the handle, which the typings leave out and Node's own timeouts use, knows the progress
 * within it.
 */
function bytesLeft(socket: Socket): number {
  // TLS encrypts an answer at once, no matter when it is read.
  const { _handle: handle } = underlyingSocket(socket) as {
    readonly _handle?: { readonly writeQueueSize?: number } | null;
  };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
