import { runTwoNodes } from './two-nodes';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

describeOnPostgres('two nodes on one PostgreSQL', () => {
  const database = useDatabase('postgres');

  it('read what the other wrote, and lose nothing acknowledged when one is killed', async () => {
    const report = await runTwoNodes(database.url, database.folder, 200);
    expect(report).toMatchObject({
      tokens: ['sample-token-01', 'sample-token-01'],
      messagesForOneCode: 1,
      lost: 0,
    });
    expect(report.acknowledged).toBeGreaterThanOrEqual(200);
  });
});
