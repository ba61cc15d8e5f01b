import type { Logger } from 'pino';
import type { MetricValueWithName, Registry } from 'prom-client';

import type { CallerCount, MinuteCount, Store } from '../../store';
import type { Metrics } from '../../telemetry';

const ANSWER_WITHIN_MS = 2000;

/** Returns undefined for work that fails, or takes longer than a limit in milliseconds. */
export async function inTime<T>(asked: Promise<T>, withinMs = ANSWER_WITHIN_MS): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, withinMs, undefined);
  });
  try {
    return await Promise.race([asked, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

type LabelledValue = Pick<MetricValueWithName<string>, 'labels' | 'value'>;

/** A published metric whose counts the store keeps for each minute. */
interface StoredMetric {
  readonly name: string;
  readonly figure: MinuteCount['figure'];
  /** In the order of the store's labels. */
  readonly labels: readonly string[];
  /** Label with the bucket of a histogram. */
  readonly buckets?: string;
}

const KEPT: readonly StoredMetric[] = [
  { name: 'service_requests_total', figure: 'requests', labels: ['operation', 'binding', 'outcome'] },
  {
    name: 'service_request_errors_total',
    figure: 'errors',
    labels: ['operation', 'binding', 'reason'],
  },
  {
    name: 'service_forwarded_requests_total',
    figure: 'forwarded',
    labels: ['operation', 'binding', 'outcome'],
  },
  { name: 'delivery_messages_total', figure: 'settled', labels: ['channel', 'state'] },
  { name: 'delivery_attempts_total', figure: 'attempts', labels: ['channel', 'outcome', 'gateway'] },
  { name: 'delivery_receipts_total', figure: 'receipts', labels: ['gateway', 'result'] },
  {
    name: 'delivery_seconds',
    figure: 'sent',
    labels: ['channel', 'le'],
    buckets: 'delivery_seconds_bucket',
  },
];

/** Reads the increase of this process's counters since the last time: nothing needs to be counted twice. */
class Counters {
  readonly #registry: Pick<Registry, 'getSingleMetric'>;
  readonly #before = new Map<string, number>();

  constructor(registry: Pick<Registry, 'getSingleMetric'>) {
    this.#registry = registry;
  }

  /** @param at - minute of the counts, in milliseconds since 1970 UTC */
  async take(at: number): Promise<readonly MinuteCount[]> {
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

  /** Returns no samples for a metric that this process lacks, such as one of the delivery. */
  async #samplesOf({ name, buckets }: StoredMetric): Promise<readonly LabelledValue[]> {
    const { values = [] } = (await this.#registry.getSingleMetric(name)?.get()) ?? {};
    if (buckets === undefined) return values;
    return apart(values.filter((value) => 'metricName' in value && value.metricName === buckets));
  }
}

/** Converts cumulative buckets to separate ones. Those of a channel are in ascending order. */
function apart(buckets: readonly LabelledValue[]): readonly LabelledValue[] {
  const shorter = new Map<unknown, number>();
  return buckets.map(({ labels, value }) => {
    const own = value - (shorter.get(labels['channel']) ?? 0);
    shorter.set(labels['channel'], value);
    return { labels, value: own };
  });
}

/** Interval of handing over counts to the store, in milliseconds. */
const HAND_OVER_MS = 10_000;
/**
 * Maximum number of batches that wait for an unavailable store, for an hour; later counts are merged into the
 * next batch.
 */
const MAX_WAITING = 360;
/** Maximum number of counts in them: some 10 MB, however many callers there are. */
const MAX_WAITING_COUNTS = 50_000;

interface MinuteStatsOptions {
  readonly store: { readonly stats: Pick<Store['stats'], 'add'> };
  readonly metrics: Pick<Metrics, 'registry' | 'takeCallers'>;
  readonly logger: Logger;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
  /** Monotonic time in milliseconds; default: the process's. */
  readonly elapsed?: () => number;
}

interface Minute {
  readonly counts: readonly MinuteCount[];
  readonly callers: readonly CallerCount[];
}

/**
 * Hands this process's counts to the store, by the minute. Counts that the store does not accept are handed
 * over later, for their own minutes; if it accepted them but the answer was lost, they are counted twice.
 */
export class MinuteStats {
  readonly #options: MinuteStatsOptions;
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #counters: Counters;
  #takenAt: number;
  #waiting: readonly Minute[] = [];
  #handing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isFailing = false;

  constructor(options: MinuteStatsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#elapsed = options.elapsed ?? (() => performance.now());
    this.#counters = new Counters(options.metrics.registry);
    this.#takenAt = this.#elapsed();
  }

  /** Starts handing over every ten seconds, and at the end of each minute. */
  start(): void {
    this.#timer = setTimeout(
      () => {
        void this.handOver();
        this.start();
      },
      HAND_OVER_MS - (this.#now() % HAND_OVER_MS),
    ).unref();
  }

  /** Hands over the remaining counts. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#handing;
    await this.handOver();
  }

  /** Hands over the counts since the last time, unless that is still in progress. Does not throw. */
  handOver(): Promise<void> {
    return (this.#handing ??= this.#handOver().finally(() => {
      this.#handing = undefined;
    }));
  }

  async #handOver(): Promise<void> {
    const waiting = this.#waiting.reduce(
      (sum, { counts, callers }) => sum + counts.length + callers.length,
      0,
    );
    if (this.#waiting.length < MAX_WAITING && waiting < MAX_WAITING_COUNTS) await this.#take();
    if (this.#waiting.length === 0) return;
    const { store, logger } = this.#options;
    try {
      const counts = this.#waiting.flatMap((minute) => minute.counts);
      const callers = this.#waiting.flatMap((minute) => minute.callers);
      await store.stats.add(counts, callers, this.#now());
      this.#waiting = [];
      if (this.#isFailing) logger.info('saving statistics works again');
      this.#isFailing = false;
    } catch (error) {
      if (!this.#isFailing) logger.error({ err: error }, 'cannot save statistics; will retry');
      this.#isFailing = true;
    }
  }

  /**
   * Takes the counts for the minute of the interval's middle, which ends about now: the clock was right until
   * then.
   */
  async #take(): Promise<void> {
    const elapsed = this.#elapsed();
    const at = Math.round(this.#now() - (elapsed - this.#takenAt) / 2);
    this.#takenAt = elapsed;
    const callers = this.#options.metrics.takeCallers().map((tally) => ({ ...tally, at }));
    const counts = await this.#counters.take(at);
    if (counts.length > 0 || callers.length > 0) this.#waiting = [...this.#waiting, { counts, callers }];
  }
}
