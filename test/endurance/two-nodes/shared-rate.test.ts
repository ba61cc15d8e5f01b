import { runSharedRate, type SharedRateReport, WINDOW_SECONDS } from './shared-rate';
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

describeOnPostgres('nodes on one PostgreSQL', () => {
  const database = useDatabase('postgres');

  it('together respect the limit of a gateway', async () => {
    const [codes, perSecond] = [72, 6];
    const limits = { nodes: 3, codes, perSecond };
    const report = await runSharedRate(database.url, database.folder, limits);
    expect(report.arrived).toBe(codes);
    expect(highestRate(report)).toBeLessThanOrEqual(perSecond * 1.2);
  });

  it('respect the limit of a gateway also while another node joins them', async () => {
    const [codes, perSecond] = [110, 10];
    const limits = { nodes: 1, joining: 1, codes, perSecond };
    const report = await runSharedRate(database.url, database.folder, limits);
    expect(report.arrived).toBe(codes);
    expect(highestRate(report)).toBeLessThanOrEqual(perSecond * 1.2);
    expect(Math.max(...report.windows)).toBeLessThanOrEqual(perSecond * WINDOW_SECONDS * 1.2);
  });

  it('respect the limit of a gateway when they start together', async () => {
    const [codes, perSecond] = [110, 10];
    const limits = { nodes: 1, role: 'web', joining: 3, codes, perSecond } as const;
    const report = await runSharedRate(database.url, database.folder, limits);
    expect(report.arrived).toBe(codes);
    expect(highestRate(report)).toBeLessThanOrEqual(perSecond * 1.2);
  });
});
