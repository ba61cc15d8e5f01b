import { Simulation } from './simulate';

/** Some seconds. */
const SEEDS = 60;
/** These have found something, if only in the simulation itself. */
const FOUND = [81, 184, 680];

describe('the delivery in simulated worlds', () => {
  let simulation: Simulation;
  beforeAll(async () => {
    simulation = await Simulation.open();
  });
  afterAll(() => simulation.close());

  it('keeps its promises whatever fails', async () => {
    let messages = 0;
    const first = Array.from({ length: SEEDS }, (_, at) => at + 1);
    for (const seed of [...first, ...FOUND]) {
      const report = await simulation.run(seed);
      expect(report.finding).toBeUndefined();
      messages += report.messages;
    }
    expect(messages).toBeGreaterThan(5 * SEEDS);
  }, 120_000);

  it('makes the same world of the same seed', async () => {
    const [first, second] = [await simulation.run(5), await simulation.run(5)];
    expect(second).toEqual(first);
    expect(await simulation.run(6)).not.toEqual(first);
  });
});
