import { setImmediate as nextTurn } from 'node:timers/promises';

import { type Calendar, dayAfter, type Store, type UsageCount, type UsageName } from '../../store';

/** Messages of days long past change no more, but for those that are tried again. */
const PAST_FRESH_MS = 60 * 60_000;
const LATE_FRESH_MS = 60_000;
/** Two months by three names, each message of which is counted once at most in a while. */
const MOST_KEPT = 200;

interface Kept {
  readonly until: number;
  readonly counts: Promise<readonly UsageCount[]>;
}

/**
 * Counts of days, of which each is looked up once in a while: all messages of a day are read for it. Between two days
 * whoever else waits for the store gets a turn.
 */
export class DayCounts {
  readonly #usage: Pick<Store['usage'], 'ofDay'>;
  readonly #now: () => number;
  readonly #kept = new Map<string, Kept>();

  constructor(usage: Pick<Store['usage'], 'ofDay'>, now: () => number) {
    this.#usage = usage;
    this.#now = now;
  }

  async ofDay(calendar: Calendar, day: string, name: UsageName): Promise<readonly UsageCount[]> {
    const now = this.#now();
    const key = `${day} ${name}`;
    const kept = this.#kept.get(key);
    if (kept !== undefined && now < kept.until) return kept.counts;
    await nextTurn();
    const isPast = dayAfter(dayAfter(day)) <= calendar.dayOf(now);
    const counts = this.#usage.ofDay(calendar, day, name);
    this.#kept.delete(key);
    this.#kept.set(key, { until: now + (isPast ? PAST_FRESH_MS : LATE_FRESH_MS), counts });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    // One that fails is not kept for others.
    counts.catch(() => this.#kept.delete(key));
    return counts;
  }
}
