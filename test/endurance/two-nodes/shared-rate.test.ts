import { runSharedRate, type SharedRateOptions, type SharedRateReport, WINDOW_SECONDS } from './shared-rate';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

/**
 * Returns the highest rate per second from the start to the end of a window, or to the last code: a busy machine is
 * late, never early.
 */
function highestRate({ arrived, seconds, windows }: SharedRateReport): number {
  let sum = 0;
  const rates = windows.map((each, at) => (sum += each) / ((at + 1) * WINDOW_SECONDS));
  return Math.max((arrived - 1) / seconds, ...rates);
}

type Run = SharedRateOptions & { readonly when: string; readonly inEachWindow?: true };

const RUNS: readonly Run[] = [
  { when: 'always', nodes: 3, codes: 72, perSecond: 6 },
  {
    when: 'also while another node joins them, in each window',
    inEachWindow: true,
    ...{ nodes: 1, joining: 1, codes: 110, perSecond: 10 },
  },
  { when: 'when they start together', nodes: 1, role: 'web', joining: 3, codes: 110, perSecond: 10 },
];

describeOnPostgres('nodes on one PostgreSQL respect the limit of a gateway', () => {
  for (const { when, inEachWindow, ...limits } of RUNS) {
    const { codes, perSecond } = limits;
    const database = useDatabase('postgres', { per: 'block' });
    let running: Promise<SharedRateReport>;
    // At the same time as the others: nearly all of it is waiting.
    beforeAll(() => {
      running = runSharedRate(database.url, database.folder, limits);
    });

    it(when, async () => {
      const report = await running;
      expect(report.arrived).toBe(codes);
      expect(highestRate(report)).toBeLessThanOrEqual(perSecond * 1.2);
      if (inEachWindow)
        expect(Math.max(...report.windows)).toBeLessThanOrEqual(perSecond * WINDOW_SECONDS * 1.2);
    });
  }
});
