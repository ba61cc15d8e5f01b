import { CoverageProbe } from './coverage-probe';
import type { FuzzRun } from './fuzz-run';
import { Random } from './random';

/** Code that takes any text, and what must hold for each. */
export interface FuzzTarget {
  /** Folder or file of the repository whose coverage tells what is new. */
  readonly source: string;
  /** Inputs to begin with. */
  readonly seeds: readonly [string, ...string[]];
  /** Pieces that inputs are made of. */
  readonly tokens: readonly [string, ...string[]];
  /** Throws, or rejects, where the code does wrong. */
  readonly check: (input: string) => void | Promise<void>;
}

/** So many inputs share one look at the coverage, which costs more than the inputs. */
const BATCH = 64;
const LONGEST_INPUT = 400;

/**
 * Mutates inputs, and goes on from those that made code run that none before had: bugs that need several odd things
 * at once are reached one by one.
 *
 * @returns the inputs that reached something new, the seeds first
 * @throws where a check fails: names the input, which is all that is needed to see it again
 */
export async function fuzzByCoverage(
  { source, seeds, tokens, check }: FuzzTarget,
  { count, seed }: Pick<FuzzRun, 'count' | 'seed'>,
): Promise<readonly string[]> {
  const random = new Random(seed);
  const corpus: [string, ...string[]] = [...seeds];
  const known = new Set<string>();
  const probe = new CoverageProbe(source);

  const runAll = async (inputs: readonly string[]): Promise<readonly string[]> => {
    for (const input of inputs) {
      try {
        await check(input);
      } catch (error) {
        throw new Error(`seed ${String(seed)}, input ${JSON.stringify(input)}: ${String(error)}`, {
          cause: error,
        });
      }
    }
    return probe.take().filter((place) => !known.has(place));
  };
  const learn = (places: readonly string[]): void => {
    for (const place of places) known.add(place);
  };

  /** Finds those that reach something new, by halves. */
  const search = async (inputs: readonly string[]): Promise<void> => {
    const together = await runAll(inputs);
    if (together.length === 0) return;
    const [only = '', ...others] = inputs;
    if (others.length === 0) {
      corpus.push(only);
    } else {
      const half = Math.ceil(inputs.length / 2);
      await search(inputs.slice(0, half));
      await search(inputs.slice(half));
    }
    // Inputs that run unlike each other show places that none of them shows alone.
    learn(together);
  };

  try {
    probe.take(); // What ran before is not these inputs' doing.
    learn(await runAll(seeds));
    for (let done = 0; done < count; done += BATCH) {
      const batch = Array.from({ length: Math.min(BATCH, count - done) }, () =>
        mutate(corpus, tokens, random),
      );
      await search(batch);
    }
    return corpus;
  } finally {
    probe.close();
  }
}

function mutate(
  corpus: readonly [string, ...string[]],
  tokens: readonly [string, ...string[]],
  random: Random,
): string {
  let input = random.pick(corpus);
  for (let times = random.below(3); times >= 0; times -= 1) {
    const at = random.below(input.length + 1);
    const [before, after] = [input.slice(0, at), input.slice(at)];
    const piece = (): string => after.slice(0, 1 + random.below(12));
    const edits: readonly [() => string, ...(() => string)[]] = [
      () => before + random.pick(tokens) + after,
      () => before + random.pick(tokens) + after.slice(1),
      () => before + after.slice(1 + random.below(8)),
      () => before + piece() + after,
      () => before + String.fromCharCode(random.below(random.once(4) ? 0x10000 : 0x100)) + after,
      () => before + random.pick(corpus).slice(at),
      () => before,
    ];
    input = random.pick(edits)().slice(0, LONGEST_INPUT);
  }
  return input;
}
