import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Socket } from 'node:net';

import type { Unsent } from './write-backlog';

const CURRENT = Symbol('current response');

/** A connection; on it stands which response it waits for. Kept beside it, that would be looked up with each request. */
interface Answering extends Duplex {
  [CURRENT]?: ServerResponse | undefined;
}

/** A response that knows when it is its turn: Node reads requests ahead, and their responses wait in a row. */
export interface TurnResponse extends ServerResponse {
  /** Whether its request is the first of those that its connection sent and that are not answered. */
  readonly isItsTurn: boolean;
  /** Serves its request when it is its turn. */
  whenItsTurn(serve: () => void): void;
}

type TurnResponseClass = typeof ServerResponse &
  (new <Request extends IncomingMessage>(request: Request) => ServerResponse<Request> & TurnResponse);

/** Creates the class of such responses; each application has its own, as it gives the class its prototype. */
export function createTurnResponse(unsent: Unsent): TurnResponseClass {
  return class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    private begin: (() => void) | undefined;

    // Node tells a response when it is its turn, and when it is sent.
    override assignSocket(socket: Socket & Answering): void {
      super.assignSocket(socket);
      socket[CURRENT] = this;
      if (this.begin === undefined) return;
      // In a turn of the event loop of its own: what one connection sent at once must not be served at once.
      setImmediate(this.begin);
      this.begin = undefined;
    }

    override detachSocket(socket: Socket & Answering): void {
      super.detachSocket(socket);
      socket[CURRENT] = undefined;
    }

    // Written out, for the callers' forms are three and the arguments of a rest would be a list each time.
    override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
      super.end(chunk, encoding as BufferEncoding, callback as () => void);
      if (this.writableLength > 0) unsent.watch(this);
      return this;
    }

    get isItsTurn(): boolean {
      return this.socket !== null;
    }

    whenItsTurn(serve: () => void): void {
      const ahead = readAhead(this.req.socket);
      ahead.wait();
      this.begin = () => {
        ahead.leave();
        // Nobody waits for it any more, so what was not begun is left undone.
        if (!this.destroyed) serve();
      };
    }
  };
}

/** Whether a connection waits for a response, or for the rest of one. */
export function isAnswering(socket: Answering): boolean {
  return socket[CURRENT] !== undefined;
}

/**
 * Acts when every response is sent whose request was read whole; at once where there is none. The one of an
 * unfinished request would never be.
 */
export function whenAnswered(socket: Answering, act: () => void): void {
  const response = socket[CURRENT];
  if (response?.req.complete !== true) {
    act();
    return;
  }
  response.once('close', () => {
    whenAnswered(socket, act);
  });
}

const ahead = new WeakMap<Socket, ReadAhead>();

function readAhead(socket: Socket): ReadAhead {
  const known = ahead.get(socket);
  if (known !== undefined) return known;
  const created = new ReadAhead(socket);
  ahead.set(socket, created);
  return created;
}

/** The requests that a connection sent ahead. While there are any, no more is read: a caller could send for ever. */
class ReadAhead {
  readonly #socket: Socket;
  #waiting = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    // Node resumes the connection whenever somebody reads a body, although it has been read.
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
