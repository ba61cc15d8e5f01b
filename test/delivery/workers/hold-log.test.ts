import { HoldLog } from '../../../src/delivery/workers/hold-log';
import type { Hold, Store } from '../../../src/store';
import { useDatabase } from '../../harness/test-databases';

const START = Date.parse('2026-03-02T10:00:00Z');
const MINUTE = 60_000;
const HOLD: Hold = {
  ...{ cause: 'account', channel: 'sms', gateway: 'one', reason: null },
  ...{ since: START - 10 * MINUTE, until: null },
};

describe('the holds that a worker keeps', () => {
  const database = useDatabase('sqlite');
  let store: Store;
  let now: number;
  beforeEach(async () => {
    store = await database.open();
    now = START;
  });
  const open = (node = 'a') =>
    new HoldLog({
      ...{ store, node, now: () => now },
      sms: { routes: [], holds: [] },
      push: { name: 'fcm', hold: undefined },
    });
  const kept = async (node = 'a') =>
    (await store.workers.list())
      .find(({ name }) => name === node)
      ?.holds.map(({ cause, since, until }) => ({
        ...{ cause, since, until },
      }));

  it('end with what its last run reported, after which no worker ran until now', async () => {
    await store.workers.say('a', { routes: [], holds: [HOLD] }, START);
    now = START + 5 * MINUTE;
    await open().look(now);
    expect(await kept()).toEqual([
      { cause: 'account', since: HOLD.since, until: START },
      { cause: 'worker', since: START, until: now },
    ]);
  });

  it('say nothing of a time without it in which another worker ran', async () => {
    await store.workers.say('a', { routes: [], holds: [HOLD] }, START);
    now = START + 5 * MINUTE;
    await store.workers.say('b', { routes: [], holds: [] }, now - 1000);
    await open().look(now);
    expect(await kept()).toEqual([{ cause: 'account', since: HOLD.since, until: START }]);
  });

  it.each([
    [9_999, 0],
    [10_000, 1],
    [10_001, 1],
  ])('leave out holds of less than ten seconds: %i ms', async (ms, count) => {
    const log = open();
    await log.look(now);
    log.storeAnswered(false, now);
    now += ms;
    log.storeAnswered(true, now);
    await log.look(now);
    expect(await kept()).toHaveLength(count);
  });
});
