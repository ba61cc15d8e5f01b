import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

import type { Recorded } from '../traffic/traffic';
import type { CompareOptions } from '../verdict/compare-answers';
import { comparePair, type Pair, type Sides } from './pair';
import { type Choice, choose, type Chosen } from './plan';

/** What time it is, in milliseconds, and waiting for another. */
interface PaceClock {
  now(): number;
  /** @throws what the signal's reason is, where that ends the waiting */
  wait(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}

const SYSTEM: PaceClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
};

/** Lets through so many a second, evenly; who comes while others wait is let through after them. */
export class Pace {
  readonly #millisecondsEach: number;
  readonly #clock: PaceClock;
  #next = 0;

  /** @param perSecond - undefined for no bound */
  constructor(perSecond: number | undefined, clock = SYSTEM) {
    this.#millisecondsEach = perSecond === undefined ? 0 : 1000 / perSecond;
    this.#clock = clock;
  }

  /** @throws what the signal's reason is, where that ends the waiting */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#millisecondsEach;
    if (at > now) await this.#clock.wait(at - now, signal);
  }
}

export interface RunOptions extends Choice {
  readonly sides: Sides;
  readonly compare: CompareOptions;
  /** How many requests are under way at once. */
  readonly concurrency: number;
  /** How many are begun in a second; undefined for no bound. */
  readonly perSecond: number | undefined;
  /** Ends the run: nothing more is begun, and what is under way is dropped. */
  readonly signal: AbortSignal;
  /** Told of each request that is done with; without a pair where it went to one side alone. */
  readonly onDone: (chosen: Chosen, pair: Pair | undefined) => void;
}

/** Sends traffic to both sides, until it ends or the signal ends it. */
export async function run(traffic: AsyncIterable<Recorded>, options: RunOptions): Promise<void> {
  const { concurrency, perSecond, signal } = options;
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
  };
  if (signal.aborted) return;
  // Every request that is under way listens.
  setMaxListeners(0, ending.signal);
  signal.addEventListener('abort', end);
  const chosen = choose(traffic, options);
  const pace = new Pace(perSecond);
  const work = async (): Promise<void> => {
    for (;;) {
      await pace.turn(ending.signal);
      const next = await chosen.next();
      if (next.done === true || ending.signal.aborted) return;
      options.onDone(next.value, await send(next.value, options, ending.signal));
    }
  };
  try {
    await Promise.all(
      Array.from({ length: concurrency }, () =>
        work().catch((error: unknown) => {
          // Nobody is to go on where one failed; what the others say then is of no interest.
          const isFirst = !ending.signal.aborted;
          end();
          if (isFirst) throw error;
        }),
      ),
    );
  } finally {
    signal.removeEventListener('abort', end);
    await chosen.return(undefined);
  }
}

async function send(
  { recorded: { request }, isSend }: Chosen,
  { sides, sendsTo, compare }: RunOptions,
  signal: AbortSignal,
): Promise<Pair | undefined> {
  // What sends is never sent twice.
  if (!isSend || (sendsTo.old && sendsTo.ours))
    return comparePair(request, sides, { ...compare, again: !isSend, signal });
  await (sendsTo.old ? sides.old : sides.ours).ask(request, signal);
  return undefined;
}
