import { randomInt } from 'node:crypto';

/** The usual seed: the same in every run, so that a failure is the change's. */
const USUAL_SEED = 20_261_120;
const MILLISECONDS_PER_MUTANT = 20;

/** How much a test of many mutants tries, and from where. */
export interface FuzzRun {
  readonly count: number;
  readonly seed: number;
  /** Names both, for the title of the test: what failed can be run again. */
  readonly title: string;
  /** For the test, in milliseconds. */
  readonly timeout: number;
}

/**
 * The size of a test of mutants: short and always the same, or, with FUZZ_COUNT, as long as that says and from a seed
 * that nobody tried before, unless FUZZ_SEED names one. The seed of a long run is printed.
 */
export function fuzzRun(usualCount: number): FuzzRun {
  const { FUZZ_COUNT: wanted, FUZZ_SEED: chosen } = process.env;
  const count = Number(wanted ?? usualCount);
  const seed = Number(chosen ?? (wanted === undefined ? USUAL_SEED : randomInt(2 ** 32)));
  const title = `${String(count)} mutants (FUZZ_COUNT), seed ${String(seed)} (FUZZ_SEED)`;
  if (wanted !== undefined) process.stdout.write(`${title}\n`);
  return { count, seed, title, timeout: 180_000 + count * MILLISECONDS_PER_MUTANT };
}
