import { Simulation } from './simulate';

const SEEDS = 12;
/** Seeds that have found something, if only in the simulation itself. */
const FOUND = [81, 184, 680, 13_114, 34_007];

describe('the delivery in simulated worlds', () => {
  let simulation: Simulation;
  beforeAll(async () => {
    simulation = await Simulation.open();
  });
  afterAll(() => simulation.close());

  it('sends messages and keeps its promises, whatever fails', async () => {
    let messages = 0;
    for (const seed of [...Array.from({ length: SEEDS }, (_, at) => at + 1), ...FOUND]) {
      const report = await simulation.run(seed);
      expect(report.finding).toBeUndefined();
      messages += report.messages;
    }
    expect(messages).toBeGreaterThan(5 * SEEDS);
  }, 600_000);

  it('produces the same world from the same seed', async () => {
    const [first, second] = [await simulation.run(5), await simulation.run(5)];
    expect(second).toEqual(first);
    expect(await simulation.run(6)).not.toEqual(first);
  });
});
