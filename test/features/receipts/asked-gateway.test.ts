import { timeOfMessageId } from '../../../src/store/outbox/messages';
import { useDeliveries } from '../../delivery/use-deliveries';

const MINUTE = 60_000;

describe('the delivery of a code', () => {
  const deliveries = useDeliveries('sqlite');
  const { sms, start } = deliveries;

  it('asks the gateway for a receipt until it gets one', async () => {
    sms().usual = { status: 200, body: '{"sid":"A1"}' };
    const request = { url: `${sms().url}/report/{providerIds}` };
    const status = { pattern: '(?<status>\\w+)' };
    const states = [
      { status: 'Done', state: 'delivered' },
      { status: 'Soon', state: 'waiting' },
    ];
    const service = start({}, { receipts: { request, status, states } });
    await service.sendCode('84021');
    const sent = await service.line({ state: 'sent' });
    const answers = [
      { status: 200, body: 'Soon', log: '"recorded":0' },
      { status: 500, body: '', log: 'gateway has no result for SMS' },
      { status: 200, body: 'Done', log: '"recorded":1' },
    ];
    // The age is that of the id, which may be ahead of a clock that was put back.
    service.now = timeOfMessageId(sent.messageId) + 1;
    for (const [at, { status: answer, body, log }] of answers.entries()) {
      sms().next.push({ status: answer, body });
      service.pass(MINUTE * 2 ** Math.max(0, at - 1));
      await service.logged(log);
      expect(sms().received[at + 1]).toMatchObject({ method: 'GET', path: '/report/A1' });
    }
    expect((await deliveries.store.deliveries.list({ ids: [sent.messageId] }, 1))[0]).toMatchObject({
      ...{ state: 'sent', receipt: 'delivered', receiptAt: service.now },
    });
  });
});
