import type { MetricValueWithName } from 'prom-client';

/**
 * Values by one to three labels. A look-up builds no combined key, which would be a new string for each
 * request.
 */
export class ByLabels<Value> {
  readonly #values = new Map<string, Map<string, Map<string, Value>>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(first: string, second = '', third = ''): Value | undefined {
    return this.#values.get(first)?.get(second)?.get(third);
  }

  /** @param value - for labels without a value yet */
  set(value: Value, first: string, second = '', third = ''): void {
    const ofFirst = this.#values.get(first) ?? new Map<string, Map<string, Value>>();
    const ofSecond = ofFirst.get(second) ?? new Map<string, Value>();
    this.#values.set(first, ofFirst.set(second, ofSecond.set(third, value)));
    this.#size += 1;
  }

  values(): readonly Value[] {
    return [...this.#values.values()].flatMap((seconds) =>
      [...seconds.values()].flatMap((thirds) => [...thirds.values()]),
    );
  }
}

export type Sample = MetricValueWithName<string>;

/** Callers come and go with their file: combinations beyond this number are counted as one. */
const MAX_COMBINATIONS = 1_000;
const OTHER = 'other';

export class Counts {
  readonly #names: readonly string[];
  readonly #counts = new ByLabels<{ readonly labels: readonly string[]; value: number }>();

  /** @param names - of the labels, three at most */
  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** Adds to the count of a combination of labels. */
  count(first: string, second = '', third = '', by = 1): void {
    const known = this.#counts.get(first, second, third);
    if (known !== undefined) known.value += by;
    else if (this.#counts.size < MAX_COMBINATIONS || first === OTHER)
      this.#counts.set({ labels: [first, second, third], value: by }, first, second, third);
    else this.count(OTHER, OTHER, OTHER, by);
  }

  samples(): readonly Sample[] {
    return this.#counts.values().map(({ labels, value }) => ({
      labels: Object.fromEntries(this.#names.map((name, index) => [name, labels[index] ?? ''])),
      value,
    }));
  }
}

/** A histogram of durations with the same labels. */
export class DurationSeries {
  readonly #labels: Sample['labels'];
  readonly #bounds: Float64Array;
  /** Counts by bucket, with an additional one for longer durations. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** @param bounds - of the buckets, in seconds, ascending */
  constructor(labels: Sample['labels'], bounds: readonly number[]) {
    this.#labels = labels;
    this.#bounds = Float64Array.from(bounds);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  observe(seconds: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] ?? 0)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += seconds;
  }

  /** Total number of durations. */
  get total(): Sample {
    return { labels: this.#labels, value: this.#counts.reduce((sum, count) => sum + count) };
  }

  /** Returns the samples of a Prometheus histogram: each bucket includes all shorter ones. */
  samples(name: string): readonly Sample[] {
    let count = 0;
    const buckets = Array.from(this.#counts, (own, bucket): Sample => {
      count += own;
      const le = this.#bounds[bucket] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { le, ...this.#labels }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: this.#labels, value: this.#sum },
      { metricName: `${name}_count`, labels: this.#labels, value: count },
    ];
  }
}
