import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** Milliseconds since 1970 UTC. */
export type Clock = () => number;

/** What the delivery waits with; a simulation brings its own. Times are milliseconds. */
export interface Timers {
  /** Resolves when everything else that is ready has had its turn. */
  nextTurn(): Promise<void>;
  /** Since a moment of its own: it goes on as it does whatever the clock is put to. */
  elapsed(): number;
  delay(ms: number): Promise<void>;
  /** @returns what calls it off */
  after(ms: number, action: () => void): () => void;
  /** @returns what ends it */
  every(ms: number, action: () => void): () => void;
}

export const SYSTEM_TIMERS: Timers = {
  nextTurn: () => nextTurn(),
  elapsed: () => performance.now(),
  delay: (ms) => delay(ms),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => {
      clearTimeout(timer);
    };
  },
  every: (ms, action) => {
    const timer = setInterval(action, ms);
    return () => {
      clearInterval(timer);
    };
  },
};
