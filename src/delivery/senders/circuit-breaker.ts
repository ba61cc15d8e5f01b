import type { Reason } from '../../store';
import { type Outcome, reasonFor } from '../outcome';
import type { Clock } from '../clock';

export interface CircuitRules {
  /** The circuit opens if at least this many attempts ended within a time, and this share of them failed. */
  readonly attempts: number;
  readonly failedPart: number;
  readonly withinMs: number;
  /** Time until one message probes the provider, in milliseconds. */
  readonly probeAfterMs: number;
  /** Time until the probe after the provider refused the account, in milliseconds. */
  readonly stoppedProbeAfterMs: number;
}

/** Reason for pausing a provider. */
export type CircuitCause = 'failing' | 'stopped';

/** Why and since when a provider is paused. */
interface OpenCircuit {
  readonly cause: CircuitCause;
  /** The answer that opened it. */
  readonly reason: Reason | null;
  /** By the clock, when it opened for this cause. */
  readonly since: number;
}

interface Second {
  /** Start, by the clock. */
  readonly since: number;
  ended: number;
  failed: number;
}

type CircuitState = 'closed' | 'open' | 'probe-due';

/** Number of messages that may be started in each state. */
const PLACES: Readonly<Record<CircuitState, number>> = {
  closed: Number.POSITIVE_INFINITY,
  open: 0,
  'probe-due': 1,
};

/**
 * Stops sending to a failing provider, and lets one message probe whether it works again.
 *
 * It replaces the library cockatiel, which needed more code: it uses the machine's clock, which tests and a
 * clock set back had to work around; its window of failures had to be written anyway; and of its other
 * policies, the channel worker already limits concurrency, and the timeout is a single timer.
 */
export class CircuitBreaker {
  readonly #rules: CircuitRules;
  readonly #now: Clock;
  readonly #onChange: (cause: CircuitCause | undefined) => void;
  /** Recent outcomes by second, while the circuit is closed. */
  #seconds: Second[] = [];
  /** When it opened, or a probe last failed. */
  #openedAt: number | undefined;
  #open: OpenCircuit | undefined;
  #probing = false;

  /** @param onChange - called with the cause when the circuit opens, and with undefined when it closes */
  constructor(rules: CircuitRules, now: Clock, onChange: (cause: CircuitCause | undefined) => void) {
    this.#rules = rules;
    this.#now = now;
    this.#onChange = onChange;
  }

  /** Returns how many messages may be started now: any number, none, or one as a probe. */
  places(): number {
    return PLACES[this.#state()];
  }

  /** Why it is open; undefined while it is closed. */
  get open(): OpenCircuit | undefined {
    return this.#open;
  }

  /** Makes an attempt, unless the circuit is open: then the outcome has the time of the next one. */
  async run(attempt: () => Promise<Outcome>): Promise<Outcome> {
    const state = this.#state();
    if (state === 'open') {
      return { kind: 'not-yet', until: (this.#openedAt ?? this.#now()) + this.#probeAfterMs() };
    }
    const isProbe = state === 'probe-due';
    if (isProbe) this.#probing = true;
    try {
      const outcome = await attempt();
      if (this.#openedAt === undefined && outcome.kind === 'stopped') this.#openFor('stopped', outcome);
      else if (this.#openedAt === undefined) this.#count(outcome);
      // While the circuit is open only the probe counts: the others began before.
      else if (isProbe && outcome.kind === 'stopped') this.#openFor('stopped', outcome);
      else if (isProbe && isFailure(outcome)) this.#openFor('failing', outcome);
      else if (isProbe) this.#close();
      return outcome;
    } finally {
      if (isProbe) this.#probing = false;
    }
  }

  /** Lets the next message probe the provider, if the circuit is open. */
  probeNow(): void {
    if (this.#openedAt !== undefined) this.#openedAt = this.#now() - this.#probeAfterMs();
  }

  #state(): CircuitState {
    if (this.#openedAt === undefined) return 'closed';
    const openForMs = this.#now() - this.#openedAt;
    if (openForMs < 0) {
      // The clock was set back: the circuit would stay open until the clock has caught up.
      this.#close();
      return 'closed';
    }
    return openForMs >= this.#probeAfterMs() && !this.#probing ? 'probe-due' : 'open';
  }

  #count(outcome: Outcome): void {
    const { attempts, failedPart, withinMs } = this.#rules;
    const now = this.#now();
    let last = this.#seconds.at(-1);
    if (last === undefined || now < last.since || now >= last.since + 1000) {
      this.#seconds = this.#seconds.filter(({ since }) => since > now - withinMs && since <= now);
      last = { since: now, ended: 0, failed: 0 };
      this.#seconds.push(last);
    }
    last.ended += 1;
    if (!isFailure(outcome)) return;
    last.failed += 1;
    const ended = this.#seconds.reduce((sum, second) => sum + second.ended, 0);
    const failed = this.#seconds.reduce((sum, second) => sum + second.failed, 0);
    if (ended >= attempts && failed >= ended * failedPart) this.#openFor('failing', outcome);
  }

  #probeAfterMs(): number {
    return this.#open?.cause === 'stopped' ? this.#rules.stoppedProbeAfterMs : this.#rules.probeAfterMs;
  }

  #openFor(cause: CircuitCause, outcome: Outcome): void {
    const now = this.#now();
    this.#openedAt = now;
    const since = this.#open?.cause === cause ? this.#open.since : now;
    this.#open = { cause, reason: reasonFor(outcome), since };
    this.#onChange(cause);
  }

  #close(): void {
    this.#openedAt = undefined;
    this.#open = undefined;
    this.#seconds = [];
    this.#onChange(undefined);
  }
}

/** Returns true for a failure of the provider, not of a message: too many messages are no failure. */
function isFailure({ kind }: Outcome): boolean {
  return kind === 'failing' || kind === 'unknown';
}
