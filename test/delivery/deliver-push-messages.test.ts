import type { Store } from '../../src/store';
import type { RunningDelivery } from './running-delivery';
import { useDeliveries } from './use-deliveries';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the delivery with the push messages of a note', () => {
  const deliveries = useDeliveries('sqlite', 'sample school');
  const { push, start } = deliveries;
  let store: Store;
  beforeEach(() => {
    ({ store } = deliveries);
  });
  const devicesOf = async (request: string) => (await store.deliveries.list({ request }, 1000)).length;

  /** Sends a note, and waits until each of its push messages was tried once: time that passes ends their leases. */
  async function triedOnce(service: RunningDelivery): Promise<void> {
    const request = await service.sendMarks();
    await service.line({ messageId: request, state: 'open' });
    await service.lines(await devicesOf(request), { channel: 'push', attempt: 1 });
  }

  it('disables a dead token at once', async () => {
    const service = start();
    const dead = { status: 404, body: '{"error":{"details":[{"errorCode":"UNREGISTERED"}]}}' };
    push().usual = ({ body }) => (body.includes('"sample-token-01"') ? dead : { status: 200 });
    await service.sendMarks();
    await service.line({ channel: 'push', outcome: 'dead-token', state: 'failed' });
    expect(await store.devices.tokenOf('DEV-1')).toBe('');
  });

  it('resends a push message that may have been sent: the copy replaces the first one', async () => {
    const service = start();
    push().next.push('resets after reading');
    await triedOnce(service);
    const { messageId } = await service.line({ channel: 'push', outcome: 'unknown', state: 'queued' });
    service.pass(MINUTE);
    await service.line({ messageId, attempt: 2, state: 'sent' });
    const copies = push().received.filter(({ body }) => body.includes(messageId));
    expect(copies).toHaveLength(2);
    for (const { body } of copies) {
      expect(JSON.parse(body)).toMatchObject({
        message: {
          android: { notification: { tag: messageId } },
          apns: { headers: { 'apns-collapse-id': messageId } },
          webpush: { notification: { tag: messageId } },
        },
      });
    }
  });

  it('retries each push message until it expires', async () => {
    const service = start();
    push().usual = ({ body }) => ({ status: body.includes('"sample-token-01"') ? 503 : 200 });
    await triedOnce(service);
    for (let attempt = 1; attempt < 12; attempt += 1) {
      const { waitMs = 0 } = await service.line({ channel: 'push', state: 'queued', attempt });
      expect(waitMs).toBe(Math.min(1000 * 2 ** (attempt - 1), 600_000) / 2);
      service.pass(10 * MINUTE);
    }
    service.pass(24 * HOUR);
    await service.line({ channel: 'push', state: 'expired' });
    expect(await store.devices.tokenOf('DEV-1')).toBe('sample-token-01');
  });
});
