import type { HoldCause, Reason } from '../../store';
import type { Clock, Timers } from '../clock';
import { type Outcome, type ProviderCall, reasonFor } from '../outcome';
import type { Transport } from '../transports/transport';
import { CircuitBreaker, type CircuitCause, type CircuitRules } from './circuit-breaker';
import { Pace } from './pace';

interface ProviderLimits {
  readonly timeoutMs: number;
  readonly circuit: CircuitRules;
}

/** Result of sending; `asked` is absent while the circuit is open, or the provider has asked for a pause. */
export interface SendResult {
  readonly outcome: Outcome;
  readonly asked?: ProviderCall;
}

/** A transport, with the number of its messages in progress. */
class ActiveTransport<Message> {
  #underWay = 0;
  #onEmpty: () => void = () => undefined;

  constructor(readonly transport: Transport<Message>) {}

  async send(message: Message, signal: AbortSignal): Promise<Outcome> {
    this.#underWay += 1;
    try {
      return await this.transport.send(message, signal);
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onEmpty();
    }
  }

  /** Closes the transport once no message is in progress. */
  async close(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onEmpty = resolve));
    await this.transport.close();
  }
}

/**
 * Maximum pause that a provider may request, as a share of a message's lifetime: one that asks for years is
 * ignored.
 */
const LONGEST_PAUSE = 0.25;

/** Outcomes that show that the provider keeps up with the messages. */
const ANSWERED: readonly Outcome['kind'][] = ['sent', 'refused', 'dead-token', 'foreign-token'];

/** A traced attempt. */
interface Followed<Message> {
  readonly message: Message;
  /** @param outcome - undefined for a bug */
  readonly end: (outcome: Outcome | undefined) => void;
}

/** Called for each attempt as it begins. */
type Follow<Message> = (message: Message) => Followed<Message>;

/** Describes for what a provider's messages wait. */
export interface ProviderHold {
  readonly cause: HoldCause;
  readonly reason: Reason | null;
  /** When it began, by the clock; undefined if only its presence is known. */
  readonly since?: number;
}

/** A transport with a timeout, a circuit breaker, and rate control. */
export class Provider<Message> {
  #way: ActiveTransport<Message>;
  /** Replaced transports until they are closed. */
  readonly #former = new Set<Promise<void>>();
  readonly #timeoutMs: number;
  readonly #now: Clock;
  readonly #timers: Timers;
  readonly #circuit: CircuitBreaker;
  readonly #pace: Pace;
  readonly #follow: Follow<Message> | undefined;
  /** The last answer that asked for a pause or fewer messages. */
  #slowedBy: Reason | null = null;

  /**
   * @param onCircuit - called with the cause when the circuit opens, and with undefined when it closes
   * @param follow - default: no tracing
   */
  constructor(
    transport: Transport<Message>,
    { timeoutMs, circuit }: ProviderLimits,
    { now, timers }: { readonly now: Clock; readonly timers: Timers },
    onCircuit: (cause: CircuitCause | undefined) => void,
    follow?: Follow<Message>,
  ) {
    this.#way = new ActiveTransport(transport);
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

  /** True while sending is paused, because the provider keeps failing or refuses the account. */
  get isPaused(): boolean {
    return this.#circuit.places() === 0;
  }

  /** Returns what keeps messages from being sent now: the circuit, a pause, or the rate. */
  get hold(): ProviderHold | undefined {
    const { open } = this.#circuit;
    if (open !== undefined) return { ...open, cause: open.cause === 'stopped' ? 'account' : 'failing' };
    if (this.#pace.pauseMs > 0) return { cause: 'pause', reason: this.#slowedBy };
    return this.#pace.places() === 0 ? { cause: 'rate', reason: this.#slowedBy } : undefined;
  }

  /** @param rate - the provider's limit in messages per second from all nodes; undefined if not known */
  keepTo(rate: number | undefined): void {
    this.#pace.keepTo(rate);
  }

  /** @param nodes - number of nodes that send to it */
  shareAmong(nodes: number): void {
    this.#pace.shareAmong(nodes);
  }

  /**
   * Returns how many messages may be started now: any number, or as many as a throttling provider accepts;
   * with an open circuit none, and later one as a probe.
   */
  places(): number {
    return Math.min(this.#circuit.places(), this.#pace.places());
  }

  /** Returns the time until `places` rises, in milliseconds; infinite if only the circuit decides. */
  untilPlaceMs(): number {
    return this.isPaused ? Number.POSITIVE_INFINITY : this.#pace.untilPlaceMs();
  }

  /**
   * @param lifeMs - remaining lifetime of the message, in milliseconds
   * @param stop - ends the attempt early
   * @returns the outcome, and whether the provider was called
   */
  async send(message: Message, lifeMs: number, stop: AbortSignal): Promise<SendResult> {
    const { pauseMs } = this.#pace;
    // The message was claimed before the pause began.
    if (pauseMs > 0) return { outcome: { kind: 'not-yet', until: this.#now() + Math.ceil(pauseMs) } };
    let asked: ProviderCall | undefined;
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
    else if (ANSWERED.includes(kind)) this.#pace.taken();
    const asked = kind === 'busy' || kind === 'failing' ? (outcome.retryAfterMs ?? 0) : 0;
    if (kind === 'busy' || asked > 0) this.#slowedBy = reasonFor(outcome);
    if (asked > 0) this.#pace.pause(Math.min(asked, lifeMs * LONGEST_PAUSE));
  }

  /** Uses this transport from now on; the previous one is closed when its messages in progress have ended. */
  use(transport: Transport<Message>): void {
    // A transport that cannot be closed is harmless: it does not keep the process alive.
    const closed = this.#way
      .close()
      .catch(() => undefined)
      .finally(() => this.#former.delete(closed));
    this.#former.add(closed);
    this.#way = new ActiveTransport(transport);
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

  /**
   * Waits for the transport after a timeout, because only the transport knows whether its request had been
   * written.
   */
  async #sendInTime(message: Message, stop: AbortSignal): Promise<Outcome> {
    const controller = new AbortController();
    const abort = (): void => controller.abort();
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
