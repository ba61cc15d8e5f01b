import { LONGEST_UNRECORDED_MS, runCrashes } from './crash-run';
import { Random } from '../../harness/random';
import { ENGINES, useDatabase } from '../../harness/test-databases';

// Each process is killed once; again and again by `npm run test:crash`.
describe.each(ENGINES)('60 The service on %s, killed under load', (engine) => {
  const database = useDatabase(engine);

  it.each(engine === 'sqlite' ? [1] : [2])(
    'delivers everything that it acknowledged, in %d processes',
    async (nodes) => {
      const random = new Random(nodes);
      const kills = nodes;
      const report = await runCrashes({
        databaseUrl: database.url,
        folder: database.folder,
        kills,
        nodes,
        random: () => random.below(1000) / 1000,
      });
      expect(report).toMatchObject({ kills, lost: 0, unexplained: 0, throughTwo: 0, receiptsLost: 0 });
      expect(report.receipts).toBeGreaterThan(0);
      expect(report.fallbacks).toBeGreaterThan(0);
      expect(report.longestUnrecordedMs).toBeLessThan(LONGEST_UNRECORDED_MS);
      expect(report.messages).toBeGreaterThan(report.acknowledged);
    },
    180_000,
  );
});
