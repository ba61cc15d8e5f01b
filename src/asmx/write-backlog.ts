import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** The connection that TLS is spoken over, which the typings leave out; without TLS the connection itself. */
export function carrierOf(socket: Socket): Socket {
  return socket instanceof TLSSocket ? (socket as unknown as { readonly _parent: Socket })._parent : socket;
}

/** Bounds on answers that wait for their callers. */
export interface UnsentLimits {
  /** How long a caller may take nothing of its answer, in milliseconds. */
  readonly unsentMilliseconds: number;
  /** How many bytes of all answers together may wait. */
  readonly unsentBytes: number;
}

interface Waiting {
  readonly response: ServerResponse;
  readonly socket: Socket;
  /** What the answer holds in memory until its last byte is taken. */
  readonly bytes: number;
  /** What was left of it at the last look, and since when. */
  left: number;
  sinceMs: number;
}

/** How often the answers that wait are looked at, in milliseconds. */
const LOOK_INTERVAL_MS = 1000;

/**
 * Watches over answers that the system does not take at once, since their callers do not read. A connection has one
 * at a time, and its next request waits for that: what a caller may leave unread is one answer.
 */
export class Unsent {
  readonly #limits: UnsentLimits;
  readonly #onFull: () => void;
  readonly #waiting = new Set<Waiting>();
  #bytes = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onFull called for each connection that is cut off because all answers together are too much */
  constructor(limits: UnsentLimits, onFull: () => void) {
    this.#limits = limits;
    this.#onFull = onFull;
  }

  /** @param response one that is ended, and not taken whole */
  watch(response: ServerResponse): void {
    const { socket } = response;
    if (socket === null) return;
    const bytes = response.writableLength;
    const waiting = { response, socket, bytes, left: leftOf(socket), sinceMs: performance.now() };
    this.#waiting.add(waiting);
    this.#bytes += bytes;
    response.once('close', () => {
      this.#forget(waiting);
    });
    while (this.#bytes > this.#limits.unsentBytes && this.#waiting.size > 1) {
      this.#onFull();
      this.#cut(this.#stillest());
    }
    this.#timer ??= setInterval(
      () => {
        this.#cutThoseTooLate();
      },
      Math.min(LOOK_INTERVAL_MS, this.#limits.unsentMilliseconds / 4),
    ).unref();
  }

  #cutThoseTooLate(): void {
    this.#look();
    const latest = performance.now() - this.#limits.unsentMilliseconds;
    for (const waiting of this.#waiting) if (waiting.sinceMs <= latest) this.#cut(waiting);
  }

  /** The one that has stood still for the longest. */
  #stillest(): Waiting {
    this.#look();
    return [...this.#waiting].reduce((stillest, each) => (each.sinceMs < stillest.sinceMs ? each : stillest));
  }

  #look(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      const left = leftOf(waiting.socket);
      if (left === waiting.left) continue;
      waiting.left = left;
      waiting.sinceMs = now;
    }
  }

  #cut(waiting: Waiting): void {
    waiting.socket.destroy();
    this.#forget(waiting);
  }

  #forget(waiting: Waiting): void {
    if (!this.#waiting.delete(waiting)) return;
    this.#bytes -= waiting.bytes;
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/**
 * What a socket has still to send. Node counts a piece as unsent until its last byte is taken; how far the system
 * is with it, its handle tells, by which Node's own time limits go: the typings leave it out.
 */
function leftOf(socket: Socket): number {
  // TLS encrypts an answer at once, whoever takes it when.
  const { _handle: handle } = carrierOf(socket) as {
    readonly _handle?: { readonly writeQueueSize?: number } | null;
  };
  return socket.writableLength + (handle?.writeQueueSize ?? 0);
}
