import { callAtOnce, RawClient, type RawResponse } from '../../../scripts/harness';

/** One request of the mix. */
export interface SoakRequest {
  readonly title: string;
  readonly bytes: string | Buffer;
  /**
   * Throws where the response is not what it must be. Undefined: the connection is cut after these bytes, and
   * there is no response.
   */
  readonly check: ((response: RawResponse) => void) | undefined;
}

/** The texts of this number of wrong responses are kept. */
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

  /** Returns what was wrong with the first of these. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /**
   * Resolves when they were asked to stop.
   *
   * @throws Error when the service takes no connection
   */
  async run(count: number): Promise<void> {
    const clients = Array.from({ length: count }, () => new RawClient(this.#port));
    await callAtOnce(clients, this.#untilStopped(), (client, request) => this.#settle(client, request));
    for (const client of clients) client.close();
  }

  /** Lets each finish its request. */
  stop(): void {
    this.#stopped = true;
  }

  *#untilStopped(): Generator<SoakRequest> {
    while (!this.#stopped) yield this.#next();
  }

  async #settle(client: RawClient, { title, bytes, check }: SoakRequest): Promise<void> {
    const connection = await client.connection();
    try {
      if (check !== undefined) check(await client.ask(bytes));
      else {
        connection.write(bytes);
        client.close();
      }
    } catch (error) {
      client.close();
      this.#wrong += 1;
      if (this.#errors.length < KEPT_ERRORS) this.#errors.push(`${title}: ${String(error)}`);
    }
    this.#requests += 1;
  }
}
