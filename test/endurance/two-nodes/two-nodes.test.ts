import { runSharedRate, WINDOW_SECONDS } from './shared-rate';
import { runTwoNodes } from './two-nodes';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

/** Returns the highest rate per second from the start to the end of a window: a busy machine is late, never early. */
function highestRate(windows: readonly number[]): number {
  let sum = 0;
  return Math.max(...windows.map((each, at) => (sum += each) / ((at + 1) * WINDOW_SECONDS)));
}

describeOnPostgres('two nodes on one PostgreSQL', () => {
  const database = useDatabase('postgres');

  it("read each other's writes, and lose nothing acknowledged when one is killed", async () => {
    const report = await runTwoNodes(database.url, database.folder, 200);
    expect(report).toMatchObject({
      tokens: ['sample-token-01', 'sample-token-01'],
      messagesForOneCode: 1,
      lost: 0,
    });
    expect(report.acknowledged).toBeGreaterThanOrEqual(200);
  });

  it('together respect the limit of a gateway', async () => {
    const [codes, perSecond] = [72, 6];
    const limits = { nodes: 3, codes, perSecond };
    const { arrived, windows } = await runSharedRate(database.url, database.folder, limits);
    expect(arrived).toBe(codes);
    expect(highestRate(windows)).toBeLessThanOrEqual(perSecond * 1.2);
  });

  it('respect the limit of a gateway also while another node joins them', async () => {
    const [codes, perSecond] = [110, 10];
    const limits = { nodes: 1, joining: 1, codes, perSecond };
    const { arrived, windows } = await runSharedRate(database.url, database.folder, limits);
    expect(arrived).toBe(codes);
    expect(Math.max(...windows)).toBeLessThanOrEqual(perSecond * WINDOW_SECONDS * 1.2);
  });

  it('respect the limit of a gateway when they start together', async () => {
    const [codes, perSecond] = [110, 10];
    const limits = { nodes: 1, role: 'web', joining: 3, codes, perSecond } as const;
    const { arrived, windows } = await runSharedRate(database.url, database.folder, limits);
    expect(arrived).toBe(codes);
    expect(highestRate(windows)).toBeLessThanOrEqual(perSecond * 1.2);
  });
});
