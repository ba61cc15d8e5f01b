import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';

import type { Recorded } from '../traffic/traffic';
import type { CompareOptions } from '../verdict/compare-answers';
import { compareRequest, type RequestComparison, type Targets } from './compare-request';
import { type Choice, choose, type PlannedRequest } from './plan';

/** Clock in milliseconds, with waiting. */
interface PaceClock {
  now(): number;
  /** @throws the signal's reason, if it ends the waiting */
  wait(milliseconds: number, signal: AbortSignal): Promise<unknown>;
}

const SYSTEM: PaceClock = {
  now: () => performance.now(),
  wait: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
};

/** Limits the rate of requests, evenly spaced, in order of arrival. */
export class Pace {
  readonly #millisecondsEach: number;
  readonly #clock: PaceClock;
  #next = 0;

  /** @param perSecond - undefined for no limit */
  constructor(perSecond: number | undefined, clock = SYSTEM) {
    this.#millisecondsEach = perSecond === undefined ? 0 : 1000 / perSecond;
    this.#clock = clock;
  }

  /** @throws the signal's reason, if it ends the waiting */
  async turn(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const at = Math.max(now, this.#next);
    this.#next = at + this.#millisecondsEach;
    if (at > now) await this.#clock.wait(at - now, signal);
  }
}

export interface RunOptions extends Choice {
  readonly targets: Targets;
  readonly compare: CompareOptions;
  readonly concurrency: number;
  /** Maximum number of requests per second; undefined for no limit. */
  readonly perSecond: number | undefined;
  /** Ends the run: nothing more is started, and requests in progress are dropped. */
  readonly signal: AbortSignal;
  /** Called for each completed request; without a pair if it was sent to one server only. */
  readonly onDone: (chosen: PlannedRequest, pair: RequestComparison | undefined) => void;
}

/** Sends traffic to both servers until the traffic or the signal ends. */
export async function run(traffic: AsyncIterable<Recorded>, options: RunOptions): Promise<void> {
  const { concurrency, perSecond, signal } = options;
  const ending = new AbortController();
  const end = (): void => {
    ending.abort();
  };
  if (signal.aborted) return;
  // Every request in progress adds a listener.
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
          // The first failure stops the others; their errors are ignored.
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
  { recorded: { request }, isSend }: PlannedRequest,
  { targets, sendsTo, compare }: RunOptions,
  signal: AbortSignal,
): Promise<RequestComparison | undefined> {
  // A sending request is never sent to the same server twice.
  if (!isSend || (sendsTo.old && sendsTo.ours))
    return compareRequest(request, targets, { ...compare, again: !isSend, signal });
  await (sendsTo.old ? targets.old : targets.ours).ask(request, signal);
  return undefined;
}
