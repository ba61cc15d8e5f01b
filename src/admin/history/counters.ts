import type { MetricValueWithName, Registry } from 'prom-client';

import type { Counted } from '../../store';

type Sample = Pick<MetricValueWithName<string>, 'labels' | 'value'>;

/** A published metric of which the store keeps what was counted in each minute. */
interface KeptMetric {
  readonly name: string;
  readonly figure: Counted['figure'];
  /** In the order in which the store has them. */
  readonly labels: readonly string[];
  /** Of a histogram. */
  readonly buckets?: string;
}

const KEPT: readonly KeptMetric[] = [
  { name: 'service_requests_total', figure: 'requests', labels: ['operation', 'binding', 'outcome'] },
  {
    name: 'service_request_errors_total',
    figure: 'errors',
    labels: ['operation', 'binding', 'reason'],
  },
  { name: 'delivery_messages_total', figure: 'settled', labels: ['channel', 'state'] },
  {
    name: 'delivery_seconds',
    figure: 'sent',
    labels: ['channel', 'le'],
    buckets: 'delivery_seconds_bucket',
  },
];

/** Reads off this process's counters what they counted since the last time: nothing is counted twice for it. */
export class Counters {
  readonly #registry: Pick<Registry, 'getSingleMetric'>;
  readonly #before = new Map<string, number>();

  constructor(registry: Pick<Registry, 'getSingleMetric'>) {
    this.#registry = registry;
  }

  /** @param at - of which minute it is, in milliseconds since 1970 UTC */
  async take(at: number): Promise<readonly Counted[]> {
    const all = await Promise.all(KEPT.map((kept) => this.#samplesOf(kept)));
    return KEPT.flatMap(({ name, figure, labels: names }, index) =>
      (all[index] ?? []).flatMap(({ labels: values, value }) => {
        const labels = names.map((each) => String(values[each]));
        const key = JSON.stringify([name, ...labels]);
        const count = value - (this.#before.get(key) ?? 0);
        this.#before.set(key, value);
        return count > 0 ? [{ at, figure, labels, count }] : [];
      }),
    );
  }

  /** A process that delivers nothing has no metrics of that. */
  async #samplesOf({ name, buckets }: KeptMetric): Promise<readonly Sample[]> {
    const { values = [] } = (await this.#registry.getSingleMetric(name)?.get()) ?? {};
    if (buckets === undefined) return values;
    return apart(values.filter((value) => 'metricName' in value && value.metricName === buckets));
  }
}

/** Of buckets that count all that is shorter, too, what is in each alone. Those of a channel are in their order. */
function apart(buckets: readonly Sample[]): readonly Sample[] {
  const shorter = new Map<unknown, number>();
  return buckets.map(({ labels, value }) => {
    const own = value - (shorter.get(labels['channel']) ?? 0);
    shorter.set(labels['channel'], value);
    return { labels, value: own };
  });
}
