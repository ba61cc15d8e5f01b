import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

import type { WriteBacklog } from './write-backlog';

/** Size of the pieces in which a long answer is encrypted. */
const TLS_PIECE_BYTES = 64 * 1024;

const CURRENT = Symbol('current response');

/**
 * A connection with the response that it waits for. Stored elsewhere, it would need a look-up for each
 * request.
 */
interface Answering extends Duplex {
  [CURRENT]?: ServerResponse | undefined;
}

/**
 * A response that knows when it is its turn: Node reads requests ahead, and their responses wait in a queue.
 */
export interface PipelinedResponse extends ServerResponse {
  /** True if its request is the oldest unanswered one of its connection. */
  readonly isItsTurn: boolean;
  /** Calls `serve` when it is the response's turn. */
  whenItsTurn(serve: () => void): void;
}

type PipelinedResponseClass = typeof ServerResponse &
  (new <Request extends IncomingMessage>(request: Request) => ServerResponse<Request> & PipelinedResponse);

/**
 * Creates the class of such responses; each application has its own, because it sets the prototype of the
 * class.
 */
export function createTurnResponse(backlog: WriteBacklog): PipelinedResponseClass {
  return class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    private begin: (() => void) | undefined;
    /** Bytes of the body that no socket has yet. */
    private rest = 0;

    // Node calls this when it is the response's turn.
    override assignSocket(socket: Socket & Answering): void {
      super.assignSocket(socket);
      socket[CURRENT] = this;
      if (this.begin === undefined) return;
      // In a separate turn of the event loop: requests that arrive in one packet must not all be served at
      // once.
      setImmediate(this.begin);
      this.begin = undefined;
    }

    override detachSocket(socket: Socket & Answering): void {
      super.detachSocket(socket);
      socket[CURRENT] = undefined;
    }

    // Spelled out because callers use three signatures, and rest parameters would allocate an array each
    // time.
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      if (isLong(chunk) && this.socket instanceof TLSSocket)
        this.endInPieces(
          Buffer.isBuffer(chunk) ? chunk : Buffer.from(chunk, encoding as BufferEncoding),
          callback as () => void,
        );
      else super.end(chunk, encoding as BufferEncoding, callback as () => void);
      const unsent = this.writableLength + this.rest;
      if (unsent > 0) backlog.watch(this, unsent);
      return this;
    }

    /**
     * Writes each piece when the one before was taken. TLS would encrypt the whole body at once: it would be
     * in memory twice, and the time limit for callers who do not read could not see its progress.
     */
    private endInPieces(body: Buffer, callback: () => void): void {
      this.rest = body.length;
      const next = (error?: Error | null): void => {
        if (error) return;
        const piece = body.subarray(body.length - this.rest).subarray(0, TLS_PIECE_BYTES);
        this.rest -= piece.length;
        if (this.rest > 0) super.write(piece, next);
        else super.end(piece, callback);
      };
      next();
    }

    get isItsTurn(): boolean {
      return this.socket !== null;
    }

    whenItsTurn(serve: () => void): void {
      const ahead = readAhead(this.req.socket);
      ahead.wait();
      this.begin = () => {
        ahead.leave();
        // If the caller is gone, work that has not begun is skipped.
        if (!this.destroyed) serve();
      };
    }
  };
}

function isLong(chunk: unknown): chunk is string | Buffer {
  return (typeof chunk === 'string' || Buffer.isBuffer(chunk)) && chunk.length > TLS_PIECE_BYTES;
}

/** Returns true if a connection waits for a response, or for the rest of one. */
export function isAnswering(socket: Answering): boolean {
  return socket[CURRENT] !== undefined;
}

/** Returns true if the answer to the request in progress has begun: another would follow it. */
export function hasBegunAnswer(socket: Answering): boolean {
  return socket[CURRENT]?.headersSent === true;
}

/**
 * Calls `act` once all responses to completely read requests are sent; without any, at once. A response
 * to an incomplete request would never be sent.
 */
export function whenAnswered(socket: Answering, act: () => void): void {
  const response = socket[CURRENT];
  if (response?.req.complete !== true) {
    act();
    return;
  }
  response.once('close', () => whenAnswered(socket, act));
}

const ahead = new WeakMap<Socket, ReadAhead>();

function readAhead(socket: Socket): ReadAhead {
  const known = ahead.get(socket);
  if (known !== undefined) return known;
  const created = new ReadAhead(socket);
  ahead.set(socket, created);
  return created;
}

/** Queue of pipelined requests. While any are waiting, no more is read: a caller could send forever. */
class ReadAhead {
  readonly #socket: Socket;
  #waiting = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Node resumes the connection whenever a body is read, even one that was already complete.
    socket.on('resume', () => {
      if (this.#waiting > 0) socket.pause();
    });
  }

  wait(): void {
    this.#waiting += 1;
    this.#socket.pause();
  }

  leave(): void {
    this.#waiting -= 1;
    if (this.#waiting === 0) this.#socket.resume();
  }
}
