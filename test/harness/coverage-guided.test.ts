import { fuzzByCoverage, type FuzzTarget } from './coverage-guided';

/** Finds a wrong turn five characters deep: one mutant in millions has them all at once. */
function openLock(text: string): void {
  const has = (at: number, character: string): boolean => text.charAt(at) === character;
  if (!has(0, 'l')) return;
  if (!has(1, 'o')) return;
  if (!has(2, 'c')) return;
  if (!has(3, 'k')) return;
  if (!has(4, '!')) return;
  throw new Error('open');
}

const TARGET: FuzzTarget = {
  source: 'test/harness/coverage-guided.test.ts',
  seeds: ['.'],
  tokens: ['c', 'k', 'l', 'o', '!', 'x', 'y', 'z'],
  check: openLock,
};
const RUN = { count: 6_000, seed: 1 };

describe('coverage-guided mutation', () => {
  it('finds the result of several odd characters, and reports the input and the seed', async () => {
    await expect(fuzzByCoverage(TARGET, RUN)).rejects.toThrow(/^seed 1, input "lock!.*": Error: open$/s);
  });

  it('depends on the code it reached before: without coverage it finds nothing', async () => {
    const corpus = await fuzzByCoverage({ ...TARGET, source: 'test/harness/random.ts' }, RUN);
    expect(corpus).toEqual(TARGET.seeds);
  });
});
