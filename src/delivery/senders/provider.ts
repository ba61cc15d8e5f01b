import type { Asked, Outcome } from '../outcome';
import type { Clock, Timers } from '../time';
import type { Transport } from '../transports';
import { CircuitBreaker, type CircuitRules } from './circuit-breaker';

export interface ProviderLimits {
  readonly timeoutMs: number;
  readonly circuit: CircuitRules;
}

/** What came of asking a provider; `asked` where it was not left alone. */
export interface Answer {
  readonly outcome: Outcome;
  readonly asked?: Asked;
}

/** A transport, with the care that any provider needs: a time-out, and a circuit breaker. */
export class Provider<Message> {
  readonly #transport: Transport<Message>;
  readonly #timeoutMs: number;
  readonly #now: Clock;
  readonly #timers: Timers;
  readonly #circuit: CircuitBreaker;

  /** @param onCircuit - told when the circuit opens (true) and closes */
  constructor(
    transport: Transport<Message>,
    { timeoutMs, circuit }: ProviderLimits,
    { now, timers }: { readonly now: Clock; readonly timers: Timers },
    onCircuit: (open: boolean) => void,
  ) {
    this.#transport = transport;
    this.#timeoutMs = timeoutMs;
    this.#now = now;
    this.#timers = timers;
    this.#circuit = new CircuitBreaker(circuit, now, onCircuit);
  }

  get name(): string {
    return this.#transport.name;
  }

  /** How many messages may be begun now: any number, or while the circuit is open none, and then one to probe. */
  places(): number {
    return this.#circuit.places();
  }

  /**
   * @param stop - ends the attempt early
   * @returns what came of it, and that it was asked, unless it is left alone
   */
  async send(message: Message, stop: AbortSignal): Promise<Answer> {
    let asked: Asked | undefined;
    const outcome = await this.#circuit.run(async () => {
      const [at, begin] = [this.#now(), this.#timers.elapsed()];
      const answer = await this.#sendInTime(message, stop);
      asked = { provider: this.name, at, milliseconds: Math.round(this.#timers.elapsed() - begin) };
      return answer;
    });
    return asked === undefined ? { outcome } : { outcome, asked };
  }

  close(): Promise<void> {
    return this.#transport.close();
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
      return await this.#transport.send(message, controller.signal);
    } finally {
      inTime();
      stop.removeEventListener('abort', abort);
    }
  }
}
