import type { Asked, Outcome } from '../outcome';
import type { Clock, Timers } from '../clock';
import type { Transport } from '../transports/provider-client';
import { CircuitBreaker, type CircuitCause, type CircuitRules } from './circuit-breaker';
import { Pace } from './pace';

interface ProviderLimits {
  readonly timeoutMs: number;
  readonly circuit: CircuitRules;
}

/** What came of asking a provider; `asked` where it was not left alone. */
export interface Answer {
  readonly outcome: Outcome;
  readonly asked?: Asked;
}

/** A transport, and how many messages are on their way over it. */
class Way<Message> {
  readonly transport: Transport<Message>;
  #underWay = 0;
  #onEmpty: () => void = () => undefined;

  constructor(transport: Transport<Message>) {
    this.transport = transport;
  }

  async send(message: Message, signal: AbortSignal): Promise<Outcome> {
    this.#underWay += 1;
    try {
      return await this.transport.send(message, signal);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onEmpty();
    }
  }

  /** Closes the transport when nothing is under way any more. */
  async close(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
    await this.transport.close();
  }
}

/** Part of a message's life that a provider may ask all to wait for its sake: one that asks for years is not heard. */
const LONGEST_PAUSE = 0.25;

/** An attempt that somebody follows. */
interface Followed<Message> {
  /** The message, as the transport gets it. */
  readonly message: Message;
  /** @param outcome - undefined for a defect */
  readonly end: (outcome: Outcome | undefined) => void;
}

/** Told of each attempt as it begins. */
type Follow<Message> = (message: Message) => Followed<Message>;

/** A transport, with the care that any provider needs: a time-out, a circuit breaker, and a pace. */
export class Provider<Message> {
  #way: Way<Message>;
  /** Ways that are no longer used, until they are closed. */
  readonly #former = new Set<Promise<void>>();
  readonly #timeoutMs: number;
  readonly #now: Clock;
  readonly #timers: Timers;
  readonly #circuit: CircuitBreaker;
  readonly #pace: Pace;
  readonly #follow: Follow<Message> | undefined;

  /**
   * @param onCircuit - called when the circuit opens, with the cause, and with undefined when it closes
   * @param follow - default: nobody follows
   */
  constructor(
    transport: Transport<Message>,
    { timeoutMs, circuit }: ProviderLimits,
    { now, timers }: { readonly now: Clock; readonly timers: Timers },
    onCircuit: (cause: CircuitCause | undefined) => void,
    follow?: Follow<Message>,
  ) {
    this.#way = new Way(transport);
    this.#timeoutMs = timeoutMs;
    this.#now = now;
    this.#timers = timers;
    this.#follow = follow;
    this.#circuit = new CircuitBreaker(circuit, now, onCircuit);
    this.#pace = new Pace(timers.elapsed.bind(timers));
  }

  get name(): string {
    return this.#way.transport.name;
  }

  /** Returns whether sending is paused, because the provider keeps failing or refuses the account. */
  get isPaused(): boolean {
    return this.#circuit.places() === 0;
  }

  /** @param rate - messages a second that it takes from all nodes; undefined where that is not known */
  keepTo(rate: number | undefined): void {
    this.#pace.keepTo(rate);
  }

  /** @param nodes - how many nodes send to it */
  shareAmong(nodes: number): void {
    this.#pace.shareAmong(nodes);
  }

  /**
   * How many messages may be begun now: any number, as many as the provider takes where it has said that they came too
   * fast, or while the circuit is open none, and then one to probe.
   */
  places(): number {
    return Math.min(this.#circuit.places(), this.#pace.places());
  }

  /**
   * @param lifeMs - how long the message is still worth something, in milliseconds
   * @param stop - ends the attempt early
   * @returns what came of it, and that it was asked, unless it is left alone
   */
  async send(message: Message, lifeMs: number, stop: AbortSignal): Promise<Answer> {
    let asked: Asked | undefined;
    const outcome = await this.#circuit.run(async () => {
      const at = this.#now();
      const begin = this.#pace.begin();
      const answer = await this.#sendFollowed(message, stop);
      this.#keepPace(answer, begin, lifeMs);
      asked = { provider: this.name, at, milliseconds: Math.round(this.#timers.elapsed() - begin) };
      return answer;
    });
    return asked === undefined ? { outcome } : { outcome, asked };
  }

  #keepPace(outcome: Outcome, begin: number, lifeMs: number): void {
    const { kind } = outcome;
    if (kind === 'busy') this.#pace.tooFast(begin);
    else if (kind === 'sent' || kind === 'refused' || kind === 'dead-token') this.#pace.taken();
    const asked = kind === 'busy' || kind === 'failing' ? (outcome.retryAfterMs ?? 0) : 0;
    if (asked > 0) this.#pace.pause(Math.min(asked, lifeMs * LONGEST_PAUSE));
  }

  /**
   * From now on messages go over this transport; the one before is closed when those that are under way over it have
   * come to their ends.
   */
  use(transport: Transport<Message>): void {
    // One that cannot be closed does no harm: the process is not kept alive by it.
    const closed = this.#way
      .close()
      .catch(() => undefined)
      .finally(() => this.#former.delete(closed));
    this.#former.add(closed);
    this.#way = new Way(transport);
    this.#circuit.probeNow();
    this.#pace.forget();
  }

  async close(): Promise<void> {
    await Promise.all([this.#way.close(), ...this.#former]);
  }

  async #sendFollowed(message: Message, stop: AbortSignal): Promise<Outcome> {
    if (this.#follow === undefined) return this.#sendInTime(message, stop);
    const followed = this.#follow(message);
    let outcome: Outcome | undefined;
    try {
      return (outcome = await this.#sendInTime(followed.message, stop));
    } finally {
      followed.end(outcome);
    }
  }

  /** Only the transport knows whether its request had been written when the time was over: it is waited for. */
  async #sendInTime(message: Message, stop: AbortSignal): Promise<Outcome> {
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort();
    };
    if (stop.aborted) abort();
    const inTime = this.#timers.after(this.#timeoutMs, abort);
    stop.addEventListener('abort', abort);
    try {
      return await this.#way.send(message, controller.signal);
    } finally {
      inTime();
      stop.removeEventListener('abort', abort);
    }
  }
}
