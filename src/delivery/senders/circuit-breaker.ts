import type { Outcome } from '../outcome';
import type { Clock } from '../clock';

export interface CircuitRules {
  /** The circuit opens where so many attempts ended within a time, or more, and this part of them failed. */
  readonly attempts: number;
  readonly failedPart: number;
  readonly withinMs: number;
  /** How long the provider is left alone before one message probes it. */
  readonly probeAfterMs: number;
  /** The same, after the provider refused the account. */
  readonly stoppedProbeAfterMs: number;
}

/** Why sending to a provider is paused. */
export type CircuitCause = 'failing' | 'stopped';

interface Second {
  /** When it began, by the clock. */
  readonly since: number;
  ended: number;
  failed: number;
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
  readonly #onChange: (cause: CircuitCause | undefined) => void;
  /** What came of the attempts of late, second by second, while the circuit is closed. */
  #seconds: Second[] = [];
  #openedAt: number | undefined;
  #cause: CircuitCause = 'failing';
  #probing = false;

  /** @param onChange - called when the circuit opens, with the cause, and with undefined when it closes */
  constructor(rules: CircuitRules, now: Clock, onChange: (cause: CircuitCause | undefined) => void) {
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
      return { kind: 'not-yet', until: (this.#openedAt ?? this.#now()) + this.#probeAfterMs() };
    }
    const isProbe = state === 'probe-due';
    if (isProbe) this.#probing = true;
    try {
      const outcome = await attempt();
      if (this.#openedAt === undefined && outcome.kind === 'stopped') this.#open('stopped');
      else if (this.#openedAt === undefined) this.#count(isFailure(outcome));
      // While it is open only the probe counts: the others were begun before.
      else if (isProbe && outcome.kind === 'stopped') this.#open('stopped');
      else if (isProbe && isFailure(outcome)) this.#open('failing');
      else if (isProbe) this.#close();
      return outcome;
    } finally {
      if (isProbe) this.#probing = false;
    }
  }

  /** It may work again: where it is left alone, the next message finds out. */
  probeNow(): void {
    if (this.#openedAt !== undefined) this.#openedAt = this.#now() - this.#probeAfterMs();
  }

  #state(): CircuitState {
    if (this.#openedAt === undefined) return 'closed';
    const openForMs = this.#now() - this.#openedAt;
    if (openForMs < 0) {
      // The clock was put back: it would stay open until the clock has caught up.
      this.#close();
      return 'closed';
    }
    return openForMs >= this.#probeAfterMs() && !this.#probing ? 'probe-due' : 'open';
  }

  #count(isFailure: boolean): void {
    const { attempts, failedPart, withinMs } = this.#rules;
    const now = this.#now();
    let last = this.#seconds.at(-1);
    if (last === undefined || now < last.since || now >= last.since + 1000) {
      this.#seconds = this.#seconds.filter(({ since }) => since > now - withinMs && since <= now);
      last = { since: now, ended: 0, failed: 0 };
      this.#seconds.push(last);
    }
    last.ended += 1;
    if (!isFailure) return;
    last.failed += 1;
    const ended = this.#seconds.reduce((sum, second) => sum + second.ended, 0);
    const failed = this.#seconds.reduce((sum, second) => sum + second.failed, 0);
    if (ended >= attempts && failed >= ended * failedPart) this.#open('failing');
  }

  #probeAfterMs(): number {
    return this.#cause === 'stopped' ? this.#rules.stoppedProbeAfterMs : this.#rules.probeAfterMs;
  }

  #open(cause: CircuitCause): void {
    this.#openedAt = this.#now();
    this.#cause = cause;
    this.#onChange(cause);
  }

  #close(): void {
    this.#openedAt = undefined;
    this.#seconds = [];
    this.#onChange(undefined);
  }
}

/** Failures of the provider, not of a message: too many messages are no failure. */
function isFailure({ kind }: Outcome): boolean {
  return kind === 'failing' || kind === 'unknown';
}
