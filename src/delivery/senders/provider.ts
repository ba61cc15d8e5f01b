import {
  BrokenCircuitError,
  bulkhead,
  type BulkheadPolicy,
  circuitBreaker,
  type CircuitBreakerPolicy,
  CircuitState,
  handleWhenResult,
  type IBreaker,
  timeout,
  TimeoutStrategy,
  wrap,
} from 'cockatiel';

import type { Channel } from '../transports/transport';
import type { Clock } from '../outcome/clock';
import type { Outcome } from '../outcome/outcome';

export interface ProviderLimits {
  /** Most messages under way at once. */
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly breaker: {
    readonly failures: number;
    readonly withinMs: number;
    readonly probeAfterMs: number;
  };
}

/**
 * A channel, with the care that any provider needs: a bounded number of messages under way, a time-out, and a
 * circuit breaker that leaves alone a provider that does not work.
 */
export class Provider<Message> {
  readonly #channel: Channel<Message>;
  readonly #limits: ProviderLimits;
  readonly #now: Clock;
  readonly #places: BulkheadPolicy;
  readonly #circuit: CircuitBreakerPolicy;
  readonly #send: (message: Message, signal: AbortSignal) => Promise<Outcome>;
  #openedAt = 0;

  /** @param onCircuit - told when the circuit opens (true) and closes */
  constructor(
    channel: Channel<Message>,
    limits: ProviderLimits,
    now: Clock,
    onCircuit: (open: boolean) => void,
  ) {
    this.#channel = channel;
    this.#limits = limits;
    this.#now = now;
    this.#places = bulkhead(limits.concurrency, Number.MAX_SAFE_INTEGER);
    this.#circuit = circuitBreaker(handleWhenResult(isFailure), {
      breaker: new RecentFailures(limits.breaker.failures, limits.breaker.withinMs, now),
      halfOpenAfter: limits.breaker.probeAfterMs,
    });
    this.#circuit.onBreak(() => {
      this.#openedAt = now();
      onCircuit(true);
    });
    this.#circuit.onReset(() => {
      onCircuit(false);
    });
    // Cooperative: only the channel knows whether its request had been written when the time was over.
    const late = timeout(limits.timeoutMs, TimeoutStrategy.Cooperative);
    const policy = wrap(this.#places, this.#circuit, late);
    this.#send = (message, stop) => policy.execute(({ signal }) => channel.send(message, signal), stop);
  }

  get name(): string {
    return this.#channel.name;
  }

  /** How many messages may be sent now: while the circuit is open none, and then one to probe. */
  places(): number {
    const clockPutBack = this.#now() < this.#openedAt;
    // Isolated and set free it is closed; by itself it would stay open until the clock has caught up.
    if (this.#circuit.state === CircuitState.Open && clockPutBack) this.#circuit.isolate().dispose();
    if (this.#circuit.state === CircuitState.Closed) return this.#places.executionSlots;
    const probeDue = this.#now() - this.#openedAt >= this.#limits.breaker.probeAfterMs;
    return this.#circuit.state === CircuitState.Open && probeDue ? 1 : 0;
  }

  /** @param stop - ends the attempt early */
  async send(message: Message, stop: AbortSignal): Promise<Outcome> {
    try {
      return await this.#send(message, stop);
    } catch (error) {
      if (!(error instanceof BrokenCircuitError)) throw error;
      return { kind: 'not-yet', until: this.#openedAt + this.#limits.breaker.probeAfterMs };
    }
  }

  close(): Promise<void> {
    return this.#channel.close();
  }
}

/** Failures of the provider, not of a message: too many messages are no failure. */
function isFailure(result: unknown): boolean {
  const { kind } = result as Outcome; // Nothing else is sent through the policy.
  return kind === 'failing' || kind === 'unknown';
}

/** Opens after a number of failures within a time, however many successes lie between. */
class RecentFailures implements IBreaker {
  state: unknown = undefined;
  readonly #most: number;
  readonly #withinMs: number;
  readonly #now: Clock;
  #times: number[] = [];

  constructor(most: number, withinMs: number, now: Clock) {
    this.#most = most;
    this.#withinMs = withinMs;
    this.#now = now;
  }

  success(state: CircuitState): void {
    if (state === CircuitState.HalfOpen) this.#times = [];
  }

  failure(state: CircuitState): boolean {
    const now = this.#now();
    this.#times = [...this.#times.filter((time) => time > now - this.#withinMs), now];
    return state === CircuitState.HalfOpen || this.#times.length >= this.#most;
  }
}
