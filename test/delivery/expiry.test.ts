import { useDeliveries } from './use-deliveries';

const MINUTE = 60_000;

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
      reason: { code: 'account_stopped', status: 401 },
    });
    expect(deliveries.sms().received).toHaveLength(2);
    const metrics = await service.registry.getSingleMetricAsString('delivery_attempts_total');
    expect(metrics).not.toContain('outcome="expired"');
  });
});
