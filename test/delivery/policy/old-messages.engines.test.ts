import { OldMessages } from '../../../src/delivery/policy/old-messages';
import type { Store } from '../../../src/store';
import { REMOVAL_STEP } from '../../../src/store/outbox/removal';
import { ENGINES } from '../../harness/test-databases';
import { START } from '../running-delivery';
import { useDeliveries } from '../use-deliveries';
import { Calendar } from '../../../src/support/calendar';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const UTC = new Calendar('UTC');

describe.each(ENGINES)('KEEP_MESSAGES_DAYS on %s', (engine) => {
  const deliveries = useDeliveries(engine);

  /** Messages that were sent at the start. */
  async function fill(messages: number): Promise<void> {
    const { store } = deliveries;
    const lease = { owner: 'w', leaseUntil: START + 1, channel: 'push', now: START } as const;
    await store.write((transaction) =>
      transaction.messages.enqueueAll(
        Array.from({ length: messages }, (_, at) => ({
          ...{ channel: 'push', recipient: `DEV-${String(at)}`, school: 'http://a.example', payload: {} },
          ...{ createdAt: START, expiresAt: START + HOUR, dedupeKey: null },
        })),
      ),
    );
    for (const { id } of await store.outbox.claim({ ...lease, limit: messages })) {
      await store.outbox.settle({
        ...{ ...lease, id, state: 'sent', nextAttemptAt: START, attempted: true, erase: true },
        ...{ providerId: null, reason: null },
      });
    }
  }
  const left = async () => (await deliveries.store.deliveries.list({}, 10_000)).length;

  it('makes the worker remove older messages and log how many', async () => {
    await fill(REMOVAL_STEP + 1);
    const service = deliveries.make({ KEEP_MESSAGES_DAYS: '3' });
    service.now = START + 3 * DAY + 1;
    service.delivery.start();
    await service.removed();
    expect(await left()).toBe(0);
    expect(service.log).toContain(`"messages":${String(REMOVAL_STEP + 1)},"msg":"removed messages older`);
  });

  it('keeps messages until then, and forever if it is 0', async () => {
    await fill(1);
    const reported: number[] = [];
    const removal = (days: number) =>
      new OldMessages(deliveries.store, { days, calendar: UTC }, (count) => reported.push(count));
    await removal(90).step(START + 90 * DAY);
    expect(await removal(0).step(START + 4000 * DAY)).toBe(false);
    expect(await left()).toBe(1);
    await removal(90).step(START + 90 * DAY + 1);
    expect(await left()).toBe(0);
    expect(reported).toEqual([1]);
  });

  it('checks once an hour, and at each step while there are more to remove', async () => {
    let steps = 0;
    const counted = {
      write: (work: Parameters<typeof deliveries.store.write>[0]) => {
        steps += 1;
        return deliveries.store.write(work);
      },
    } as unknown as typeof deliveries.store;
    await fill(REMOVAL_STEP + 1);
    const reported: number[] = [];
    const removal = new OldMessages(counted, { days: 3, calendar: UTC }, (count) => reported.push(count));
    const later = START + 4 * DAY;
    const left: boolean[] = [];
    for (let at = 0; at < 4; at += 1) left.push(await removal.step(later));
    expect([left, steps, reported]).toEqual([[true, false, false, false], 2, [REMOVAL_STEP + 1]]);
    await removal.step(later + HOUR - 1);
    expect(steps).toBe(2);
    await removal.step(later + HOUR);
    expect([steps, reported]).toEqual([3, [REMOVAL_STEP + 1]]); // None were removed: nothing to report.
    await removal.step(later - DAY); // The clock was put back.
    expect(steps).toBe(4);
  });
});

describe('a backlog of messages to remove', () => {
  it('is removed to its end, even if the clock is set back to the last look', async () => {
    const lasts = [undefined, '1', '2', undefined];
    let steps = 0;
    const write = () => Promise.resolve({ removed: 1, last: lasts[steps++] });
    const removal = new OldMessages(
      { write } as unknown as Pick<Store, 'write'>,
      { days: 1, calendar: UTC },
      () => undefined,
    );
    const left: boolean[] = [];
    for (const at of [START, START + HOUR, START, START, START]) left.push(await removal.step(at));
    expect([left, steps]).toEqual([[false, true, true, false, false], 4]);
  });

  it('is reported once for each 100,000 of them, and at its end', async () => {
    const steps = [99_999, 1, 50_000, 49_999, 3, 5];
    let step = 0;
    const write = () => {
      const removed = steps[step] ?? 0;
      step += 1;
      return Promise.resolve({ removed, last: step < steps.length ? String(step) : undefined });
    };
    const reported: (readonly [step: number, messages: number])[] = [];
    const removal = new OldMessages(
      { write } as unknown as Pick<Store, 'write'>,
      { days: 1, calendar: UTC },
      (messages) => reported.push([step, messages]),
    );
    while (await removal.step(START));
    expect(reported).toEqual([
      [2, 100_000],
      [5, 100_002],
      [6, 5],
    ]);
  });
});
