import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import type { Config } from '../../config';
import type { Store, Transaction } from '../../store';
import type { NumberArea } from './number-area';

/** Offers what a guard of codes may use. */
export interface GuardCore {
  readonly config: Config;
  readonly store: Store;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Milliseconds since 1970 UTC; default: the system's clock. */
  readonly now?: () => number;
}

/** Monitors the destinations of codes, and may refuse some. A feature brings it. */
export interface CodeGuard {
  /**
   * Looks at the destination of a code, before the transaction that stores it.
   *
   * @param caller - empty if unknown
   * @param now - milliseconds since 1970 UTC
   */
  watch(destination: NumberArea, caller: string, now: number): Promise<CodeWatch>;
}

export interface CodeWatch {
  /** Area to store with the code, for counting. */
  readonly area: string;
  /** Locks that exclude others with the same check. */
  readonly locks: readonly string[];
  /** Checks, in the transaction that stores the code, whether the destination is unusual. */
  check(transaction: Transaction): Promise<UnusualDestination | undefined>;
}

/** A destination with more codes than usual. */
export interface UnusualDestination {
  /** Until when codes are refused, in milliseconds since 1970 UTC; undefined if they are only reported. */
  readonly refusedUntil: number | undefined;
  /** Reports the code; called once the transaction is durable. */
  report(): void;
}
