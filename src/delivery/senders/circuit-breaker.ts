import type { Outcome } from '../outcome';
import type { Clock } from '../clock';

export interface CircuitRules {
  /** So many failures within a time open the circuit, however many successes lie between. */
  readonly failures: number;
  readonly withinMs: number;
  /** How long the provider is left alone before one message probes it. */
  readonly probeAfterMs: number;
}

type CircuitState = 'closed' | 'open' | 'probe-due';

/** How many messages may be begun in each state. */
const PLACES: Readonly<Record<CircuitState, number>> = {
  closed: Number.POSITIVE_INFINITY,
  open: 0,
  'probe-due': 1,
};

/**
 * Leaves alone a provider that does not work, and lets one message find out whether it works again.
 *
 * Our own, as the library for it (cockatiel) was more to own: it looks at the machine's clock, which tests and a
 * clock that is put back had to be worked round, its window of failures had to be written all the same, and of its
 * other policies the lane bounds the messages under way already and the time-out is one timer.
 */
export class CircuitBreaker {
  readonly #rules: CircuitRules;
  readonly #now: Clock;
  readonly #onChange: (open: boolean) => void;
  /** When the failures of late were, while the circuit is closed. */
  #failures: readonly number[] = [];
  #openedAt: number | undefined;
  #probing = false;

  /** @param onChange - told when the circuit opens (true) and closes */
  constructor(rules: CircuitRules, now: Clock, onChange: (open: boolean) => void) {
    this.#rules = rules;
    this.#now = now;
    this.#onChange = onChange;
  }

  /** How many messages may be begun now: any number, none, or one to probe. */
  places(): number {
    return PLACES[this.#state()];
  }

  /** Makes an attempt, unless the provider is left alone: then the outcome says until when. */
  async run(attempt: () => Promise<Outcome>): Promise<Outcome> {
    const state = this.#state();
    if (state === 'open') {
      return { kind: 'not-yet', until: (this.#openedAt ?? this.#now()) + this.#rules.probeAfterMs };
    }
    const isProbe = state === 'probe-due';
    if (isProbe) this.#probing = true;
    try {
      const outcome = await attempt();
      if (isFailure(outcome)) this.#failed(isProbe);
      else if (isProbe) this.#close();
      return outcome;
    } finally {
      if (isProbe) this.#probing = false;
    }
  }

  /** It may work again: where it is left alone, the next message finds out. */
  probeNow(): void {
    if (this.#openedAt !== undefined) this.#openedAt = this.#now() - this.#rules.probeAfterMs;
  }

  #state(): CircuitState {
    if (this.#openedAt === undefined) return 'closed';
    const openForMs = this.#now() - this.#openedAt;
    if (openForMs < 0) {
      // The clock was put back: it would stay open until the clock has caught up.
      this.#close();
      return 'closed';
    }
    return openForMs >= this.#rules.probeAfterMs && !this.#probing ? 'probe-due' : 'open';
  }

  #failed(isProbe: boolean): void {
    const { failures, withinMs } = this.#rules;
    const now = this.#now();
    this.#failures = [...this.#failures.filter((time) => time > now - withinMs && time <= now), now];
    const isOpen = this.#openedAt !== undefined;
    // While it is open only the probe counts: the others were begun before.
    if (isOpen ? !isProbe : this.#failures.length < failures) return;
    this.#openedAt = now;
    this.#onChange(true);
  }

  #close(): void {
    this.#openedAt = undefined;
    this.#failures = [];
    this.#onChange(false);
  }
}

/** Failures of the provider, not of a message: too many messages are no failure. */
function isFailure({ kind }: Outcome): boolean {
  return kind === 'failing' || kind === 'unknown';
}
