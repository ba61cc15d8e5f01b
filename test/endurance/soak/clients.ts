import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { type Answer, AnswerReader } from '../../../scripts/harness';
import type { SoakRequest } from './soak-request';

/** Of so many wrong answers the text is kept. */
const KEPT_ERRORS = 5;

/** Callers that send one request after the other, each over a connection that it keeps as long as it may. */
export class Clients {
  readonly #port: number;
  readonly #next: () => SoakRequest;
  readonly #errors: string[] = [];
  #requests = 0;
  #wrong = 0;
  #stopped = false;

  constructor(port: number, next: () => SoakRequest) {
    this.#port = port;
    this.#next = next;
  }

  /** Requests that came to their end. */
  get requests(): number {
    return this.#requests;
  }

  /** How many of them were not answered as they must be. */
  get wrong(): number {
    return this.#wrong;
  }

  /** What was wrong with the first of these. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /**
   * Resolves when they were told to stop.
   *
   * @throws Error when the service takes no connection
   */
  async run(clients: number): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#client()));
  }

  /** Lets each finish its request. */
  stop(): void {
    this.#stopped = true;
  }

  async #client(): Promise<void> {
    let connection: KeptConnection | undefined;
    while (!this.#stopped) {
      connection ??= await KeptConnection.open(this.#port);
      const request = this.#next();
      if (!(await this.#settle(connection, request))) connection = undefined;
      this.#requests += 1;
    }
    connection?.close();
  }

  /** Resolves to whether the connection can be used again. */
  async #settle(connection: KeptConnection, { title, bytes, check }: SoakRequest): Promise<boolean> {
    try {
      if (check === undefined) {
        await connection.cutAfter(bytes);
        return false;
      }
      const answer = await connection.ask(bytes);
      check(answer);
      if (!/\r\nconnection: *close/i.test(answer.head)) return true;
    } catch (error) {
      this.#wrong += 1;
      if (this.#errors.length < KEPT_ERRORS) this.#errors.push(`${title}: ${String(error)}`);
    }
    connection.close();
    return false;
  }
}

interface Waiting {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** A connection with one request under way at a time. */
class KeptConnection {
  readonly #socket: Socket;
  readonly #reader = new AnswerReader();
  #waiting: Waiting | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => {
      try {
        const answer = this.#reader.add(bytes);
        if (answer !== undefined) this.#waiting?.resolve(answer);
      } catch (error) {
        this.#waiting?.reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    socket.on('error', (error) => this.#waiting?.reject(error));
    socket.on('close', () => this.#waiting?.reject(new Error('The service closed the connection.')));
  }

  static async open(port: number): Promise<KeptConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new KeptConnection(socket);
  }

  /** @throws Error when the connection ends before the whole answer is there */
  ask(bytes: string | Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) reject(new Error('The service had closed the connection.'));
      this.#waiting = { resolve, reject };
      this.#socket.write(bytes, 'latin1');
    });
  }

  /** Resolves when the bytes are out and the connection is gone. */
  async cutAfter(bytes: string | Buffer): Promise<void> {
    const closed = once(this.#socket, 'close');
    this.#socket.write(bytes, 'latin1', () => this.#socket.destroy());
    await closed;
  }

  close(): void {
    this.#socket.destroy();
  }
}
