import type { OperationContract } from '../contract';
import type { ResumePoint } from '../xml';

/** What requests for an operation begin with, up to its element's start tag, and what is known by then. */
export interface KnownPrefix {
  readonly text: string;
  readonly point: ResumePoint;
  readonly rootNamespace: string;
  /** How many elements it holds. */
  readonly elements: number;
}

/** Strings cut from a text keep it in memory: no prefix of a longer one is kept, in characters. */
const LONGEST_TEXT = 4096;
/** Of so many misses one is sampled: its prefix takes the place of the one before. */
const MISSES_PER_SAMPLE = 16;

/**
 * Keeps for each operation the prefix of its requests. A client's proxy puts the same declaration, envelope and
 * namespaces before every call's values: reading that again is half of reading a small request.
 *
 * It samples, for clients take turns: one that comes once must not displace the prefix of those that come always.
 */
export class PrefixCache {
  readonly #prefixes = new Map<OperationContract, KnownPrefix>();
  #misses = 0;

  /** @returns undefined where the text begins otherwise */
  find(operation: OperationContract, text: string): KnownPrefix | undefined {
    const known = this.#prefixes.get(operation);
    if (known === undefined) return undefined;
    // A slice shares its text's memory; comparing it costs a third of startsWith.
    return text.slice(0, known.point.offset) === known.text ? known : undefined;
  }

  /** Counts a miss, and says whether the text's prefix is to be kept. */
  samples(text: string): boolean {
    if (text.length > LONGEST_TEXT) return false;
    this.#misses += 1;
    return this.#misses % MISSES_PER_SAMPLE === 1;
  }

  keep(operation: OperationContract, prefix: KnownPrefix): void {
    this.#prefixes.set(operation, prefix);
  }
}
