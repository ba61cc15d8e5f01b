import { ByLabels, Counts, DurationSeries, type Sample } from './series';

/**
 * Maximum number of combinations of addresses, agents, operations and bindings; addresses beyond it are
 * counted as one.
 */
const MAX_COMBINATIONS = 1_000;

/** Number of requests for an operation over a binding from one caller, by outcome. */
export interface CallerTally {
  /** Name in ACCESS_FILE; undefined without one. */
  readonly caller: string | undefined;
  /** Address of a caller without a name, in the form allowed in the log; undefined for none. */
  readonly address: string | undefined;
  /** Family of the User-Agent. */
  readonly agent: string;
  readonly operation: string;
  readonly binding: string;
  readonly outcome: string;
  readonly requests: number;
}

interface Count {
  readonly caller: string | undefined;
  /** Address to report: undefined for a caller with a name, `others` beyond the maximum. */
  readonly address: string | undefined;
  /** Address of the caller's first request. */
  readonly sender: string | undefined;
  readonly agent: string;
  requests: number;
}

/** Requests of one operation, binding and outcome. */
interface Series {
  readonly operation: string;
  readonly binding: string;
  readonly outcome: string;
  readonly durations: DurationSeries;
  /** Counts since the last look, by sender, agent, and kind of sender (name or address). */
  callers: ByLabels<Count>;
  /** The most recent one: a caller often sends several requests in a row. */
  last: Count | undefined;
}

/** Kind of a sender: a name may look like an address. */
const BY_NAME = 'name';
const BY_ADDRESS = 'address';
const OTHERS = 'others';
const NONE = 'none';

/**
 * Requests by operation, binding and outcome, their durations, and their senders. With counters and a
 * histogram of prom-client, a token request would cost 9 % more processor time.
 */
export class RequestTally {
  readonly #bounds: readonly number[];
  readonly #series = new ByLabels<Series>();
  readonly #callers = new Counts(['caller', 'agent', 'binding']);
  /** Number of counts by caller in all series. */
  #combinations = 0;
  /** Counts collected until they are taken. */
  #tallies = new Map<string, CallerTally>();

  /** @param bounds - of the durations, in seconds, ascending */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  /** @param address - of a caller without a name; undefined for none */
  count(
    operation: string,
    binding: string,
    outcome: string,
    seconds: number,
    caller: string | undefined,
    address: string | undefined,
    agent: string,
  ): void {
    const series: Series =
      this.#series.get(operation, binding, outcome) ?? this.#addSeries(operation, binding, outcome);
    series.durations.observe(seconds);
    const { last } = series;
    const count =
      last?.caller === caller && last?.agent === agent && last.sender === address
        ? last
        : this.#countOf(series, caller, address, agent);
    count.requests += 1;
    series.last = count;
  }

  get durations(): readonly DurationSeries[] {
    return this.#series.values().map(({ durations }) => durations);
  }

  /** Returns the requests since the start, by caller name, agent and binding. */
  callerSamples(): readonly Sample[] {
    this.#look();
    return this.#callers.samples();
  }

  /** Returns the calls by caller, operation and outcome since the last call of this method. */
  takeCallers(): readonly CallerTally[] {
    this.#look();
    const taken = [...this.#tallies.values()];
    this.#tallies = new Map();
    return taken;
  }

  #addSeries(operation: string, binding: string, outcome: string): Series {
    const durations = new DurationSeries({ operation, binding, outcome }, this.#bounds);
    const series: Series = {
      operation,
      binding,
      outcome,
      durations,
      callers: new ByLabels<Count>(),
      last: undefined,
    };
    this.#series.set(series, operation, binding, outcome);
    return series;
  }

  #countOf(
    { callers }: Series,
    caller: string | undefined,
    address: string | undefined,
    agent: string,
  ): Count {
    const kind = caller === undefined ? BY_ADDRESS : BY_NAME;
    const place = caller === undefined ? this.#placeFor(address, this.#combinations) : undefined;
    const who = caller ?? place ?? NONE;
    const known = callers.get(caller ?? address ?? NONE, agent, kind) ?? callers.get(who, agent, kind);
    if (known !== undefined) return known;
    const count: Count = { caller, address: place, sender: address, agent, requests: 0 };
    callers.set(count, who, agent, kind);
    this.#combinations += 1;
    return count;
  }

  /** Adds the counts since the last look to the totals. */
  #look(): void {
    for (const series of this.#series.values()) {
      for (const count of series.callers.values()) this.#keep(series, count);
      series.callers = new ByLabels();
      series.last = undefined;
    }
    this.#combinations = 0;
  }

  #keep({ operation, binding, outcome }: Series, { caller, address, agent, requests }: Count): void {
    this.#callers.count(caller ?? NONE, agent, binding, requests);
    // Requests without an operation are counted above.
    if (operation === NONE) return;
    const place = this.#placeFor(address, this.#tallies.size);
    const who = { caller, address: place, agent, operation, binding, outcome };
    const key = JSON.stringify(who);
    const before = this.#tallies.get(key)?.requests ?? 0;
    this.#tallies.set(key, { ...who, requests: before + requests });
  }

  /**
   * Limits the number of addresses: names are the operator's and few, but callers can use new addresses at
   * will.
   */
  #placeFor(address: string | undefined, combinations: number): string | undefined {
    return address === undefined || combinations < MAX_COMBINATIONS ? address : OTHERS;
  }
}
