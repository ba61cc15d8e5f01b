import { runTwoNodes } from './two-nodes';
import { ENGINES, useDatabase } from '../../support/test-databases';

const describeOnPostgres = ENGINES.includes('postgres') ? describe : describe.skip;

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
