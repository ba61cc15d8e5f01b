import type { Logger } from 'pino';
import type { Registry } from 'prom-client';

import type { Config } from '../../config';
import { ALL_FEATURES } from '../../features/feature';
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

/** @throws SettingError. Returns undefined if the settings do not ask for a guard. */
export type OpenCodeGuard = (core: GuardCore) => CodeGuard | undefined;

/** Loads the guards of all features. Returns what opens the first for which the settings ask. */
export async function loadCodeGuard(): Promise<OpenCodeGuard> {
  const loaded = await Promise.all(ALL_FEATURES.map(async (feature) => feature.loadCodeGuard?.()));
  return (core) => {
    for (const open of loaded) {
      const guard = open?.(core);
      if (guard !== undefined) return guard;
    }
    return undefined;
  };
}
