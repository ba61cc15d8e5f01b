import { Registry } from 'prom-client';

import { DeliveryMetrics } from '../../../src/delivery/workers/delivery-log';
import type { Backlog } from '../../../src/store';

const NOW = 100_000;

async function firstReading(readBacklog: () => Promise<readonly Backlog[]>): Promise<string> {
  const registry = new Registry();
  new DeliveryMetrics(registry, readBacklog, () => NOW);
  return registry.metrics();
}

describe('the metrics of the delivery', () => {
  it('show how many messages are queued and how old the oldest is, with one query', async () => {
    const readBacklog = jest.fn(() =>
      Promise.resolve([
        { channel: 'push', messages: 3, oldestCreatedAt: NOW - 2500, oldestDueAt: NOW - 1500 } as const,
      ]),
    );
    const text = await firstReading(readBacklog);
    expect(text).toContain('delivery_queued_messages{channel="push"} 3');
    expect(text).toContain('delivery_oldest_queued_seconds{channel="push"} 2.5');
    expect(text).toContain('delivery_oldest_due_seconds{channel="push"} 1.5');
    expect(text).toContain('delivery_queued_messages{channel="sms"} 0');
    expect(text).toContain('delivery_oldest_queued_seconds{channel="sms"} 0');
    expect(readBacklog).toHaveBeenCalledTimes(1);
  });

  it('report the queue as NaN, not as empty, while the store does not respond', async () => {
    const text = await firstReading(() => Promise.reject(new Error('no store')));
    expect(text).toContain('delivery_queued_messages{channel="sms"} Nan');
    expect(text).toContain('delivery_oldest_queued_seconds{channel="sms"} Nan');
  });

  it('show from the start that no circuit is open', async () => {
    const text = await firstReading(() => Promise.resolve([]));
    expect(text).toContain('delivery_circuit_open{channel="sms"} 0');
    expect(text).toContain('delivery_circuit_open{channel="push"} 0');
  });
});
