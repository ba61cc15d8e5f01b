import { holdNow, mergeHolds, reasonText } from '../../src/store';
import { useDeliveries } from './use-deliveries';

const MINUTE = 60_000;
const NO_CREDIT = { status: 200, body: '{"code":"12"}' };
const GATEWAY = {
  answers: [
    { code: '12', class: 'stopped', meaning: 'no credit left' },
    { status: '2xx', class: 'accepted' },
  ],
};

describe('a code that expires while its gateway is paused', () => {
  const deliveries = useDeliveries('sqlite');

  it('ends at once, and its end is no attempt', async () => {
    const service = deliveries.start();
    deliveries.sms().usual = { status: 401 };
    await service.sendCode('1');
    const { messageId } = await service.line({ state: 'queued', outcome: 'stopped' });
    // The gateway is tried again once a minute, and this was the last time before the end.
    service.pass(5 * MINUTE - 1000);
    await service.lines(2, { state: 'queued', outcome: 'stopped' });
    // Codes expire at most every two seconds, without a place at the gateway.
    service.now += 2000;
    expect(await service.line({ state: 'expired' })).toMatchObject({ messageId, attempt: 2 });
    const { store } = deliveries;
    expect((await store.deliveries.list({ ids: [messageId] }, 1))[0]).toMatchObject({
      ...{ state: 'expired', attempts: 2 },
      reason: {
        code: 'expired',
        held: { cause: 'account', reason: { code: 'account_stopped', status: 401 } },
      },
    });
    expect(deliveries.sms().received).toHaveLength(2);
    const metrics = await service.registry.getSingleMetricAsString('delivery_attempts_total');
    expect(metrics).not.toContain('outcome="expired"');
  });

  it('keeps the cause that held it, tried or not, and the worker reports it while it lasts', async () => {
    const service = deliveries.start({}, GATEWAY);
    const { store } = deliveries;
    const since = service.now;
    deliveries.sms().usual = NO_CREDIT;
    const tried = await service.sendCode('1', '+905551112233');
    await service.line({ state: 'queued', outcome: 'stopped' });
    const untried = await service.sendCode('2', '+905551112244');
    service.now += 2000;
    const reported = async () => mergeHolds(await store.workers.list(), service.now);
    const message = { channel: 'sms', recipient: '+905551112244' } as const;
    while (holdNow(await reported(), message) === undefined) await new Promise((done) => setImmediate(done));
    expect(holdNow(await reported(), message)).toMatchObject({ cause: 'account', gateway: 'gateway', since });
    service.now += 5 * MINUTE;
    await service.lines(2, { state: 'expired' });
    const ids = [tried, untried].map((code) => ('messageId' in code ? code.messageId : ''));
    const reasons = (await store.deliveries.list({ ids }, 2)).map(({ reason }) => reason);
    expect(new Set(reasons.map((reason) => JSON.stringify(reason))).size).toBe(1);
    expect(reasons[0] && reasonText(reasons[0])).toBe(
      'Expired while gateway refused the account (12: no credit left).',
    );
    // A later code closes the circuit.
    deliveries.sms().usual = { status: 200, body: '{}' };
    service.pass(MINUTE);
    await service.sendCode('3', '+905551112255');
    await service.line({ state: 'sent' });
    service.now += 2000;
    while (holdNow(await reported(), message) !== undefined) await new Promise((done) => setImmediate(done));
    expect((await reported()).holds).toMatchObject([{ cause: 'account', since }]);
  });
});
