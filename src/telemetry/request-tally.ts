import { ByLabels, Counts, DurationSeries, type Sample } from './series';

/** Addresses beyond so many combinations with agents, operations and bindings are counted as one. */
const MOST_COMBINATIONS = 1_000;

/** So many requests for an operation by a binding came from somebody. */
export interface CallerTally {
  /** Name of ACCESS_FILE; undefined for who has none. */
  readonly caller: string | undefined;
  /** Of who has no name, as much of the address as the log may hold; undefined for nothing. */
  readonly address: string | undefined;
  /** Family of the User-Agent. */
  readonly agent: string;
  readonly operation: string;
  readonly binding: string;
  readonly requests: number;
}

interface Count {
  readonly caller: string | undefined;
  /** Kept of `sender`: nothing of who has a name, and `others` where there are too many. */
  readonly address: string | undefined;
  /** The address with which it was met first. */
  readonly sender: string | undefined;
  readonly agent: string;
  requests: number;
}

/** Requests of one operation, binding and outcome. */
interface Series {
  readonly operation: string;
  readonly binding: string;
  readonly durations: DurationSeries;
  /** Since they were looked at last: by who sent them, agent, and which of name and address tells who. */
  callers: ByLabels<Count>;
  /** The one of them that was met last: callers come several times in a row. */
  last: Count | undefined;
}

/** In which of two ways somebody is known: a name may look like an address. */
const BY_NAME = 'name';
const BY_ADDRESS = 'address';
const OTHERS = 'others';
const NOBODY = 'none';

/** Requests by operation, binding and outcome, how long they took, and who sent them. */
export class RequestTally {
  readonly #bounds: readonly number[];
  readonly #series = new ByLabels<Series>();
  readonly #callers = new Counts(['caller', 'agent', 'binding']);
  /** How many of the series' counts of callers there are. */
  #combinations = 0;
  /** What was looked at, until somebody takes it. */
  #tallies = new Map<string, CallerTally>();

  /** @param bounds - of the times, in seconds, rising */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
  }

  /** @param address - of who has no name; undefined for nothing */
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

  /** Requests since the start, by name of the caller, agent and binding. */
  callerSamples(): readonly Sample[] {
    this.#look();
    return this.#callers.samples();
  }

  /** Who called which operation since this was asked last. */
  takeCallers(): readonly CallerTally[] {
    this.#look();
    const taken = [...this.#tallies.values()];
    this.#tallies = new Map();
    return taken;
  }

  #addSeries(operation: string, binding: string, outcome: string): Series {
    const durations = new DurationSeries({ operation, binding, outcome }, this.#bounds);
    const series: Series = { operation, binding, durations, callers: new ByLabels<Count>(), last: undefined };
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
    const who = caller ?? place ?? NOBODY;
    const known = callers.get(caller ?? address ?? NOBODY, agent, kind) ?? callers.get(who, agent, kind);
    if (known !== undefined) return known;
    const count: Count = { caller, address: place, sender: address, agent, requests: 0 };
    callers.set(count, who, agent, kind);
    this.#combinations += 1;
    return count;
  }

  /** Puts what was counted to where it stays. */
  #look(): void {
    for (const series of this.#series.values()) {
      for (const count of series.callers.values()) this.#keep(series, count);
      series.callers = new ByLabels();
      series.last = undefined;
    }
    this.#combinations = 0;
  }

  #keep({ operation, binding }: Series, { caller, address, agent, requests }: Count): void {
    this.#callers.count(caller ?? NOBODY, agent, binding, requests);
    // Who found none was counted above.
    if (operation === NOBODY) return;
    const place = this.#placeFor(address, this.#tallies.size);
    const who = { caller, address: place, agent, operation, binding };
    const key = JSON.stringify(who);
    const before = this.#tallies.get(key)?.requests ?? 0;
    this.#tallies.set(key, { ...who, requests: before + requests });
  }

  /** Names are the operator's and few, but callers can take new addresses at will. */
  #placeFor(address: string | undefined, combinations: number): string | undefined {
    return address === undefined || combinations < MOST_COMBINATIONS ? address : OTHERS;
  }
}
