import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';

/** Milliseconds since 1970 UTC. */
export type Clock = () => number;

/** Timers of the delivery, in milliseconds; a simulation replaces them. */
export interface Timers {
  /** Resolves when all other ready work has had its turn. */
  nextTurn(): Promise<void>;
  /** Monotonic time, unaffected by changes of the clock. */
  elapsed(): number;
  delay(ms: number): Promise<void>;
  /** @returns a function that cancels the action */
  after(ms: number, action: () => void): () => void;
  /** @returns a function that stops the repetition */
  every(ms: number, action: () => void): () => void;
}

export const SYSTEM_TIMERS: Timers = {
  nextTurn: () => nextTurn(),
  elapsed: () => performance.now(),
  delay: (ms) => delay(ms),
  after: (ms, action) => {
    const timer = setTimeout(action, ms);
    return () => clearTimeout(timer);
  },
  every: (ms, action) => {
    const timer = setInterval(action, ms);
    return () => clearInterval(timer);
  },
};
