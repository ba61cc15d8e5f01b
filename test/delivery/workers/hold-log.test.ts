import type { ProviderHold } from '../../../src/delivery/senders/provider';
import { HoldLog } from '../../../src/delivery/workers/hold-log';
import type { ClaimedMessage, Hold, HoldCause, Store } from '../../../src/store';
import type { WorkerReport } from '../../../src/store/outbox/holds';
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

/** A worker with two SMS gateways and one for push messages, and the reports that it writes. */
class Worker {
  now = START;
  /** Holds of the gateways at the moment, by name. */
  readonly holds = new Map<string, ProviderHold>();
  readonly reports: WorkerReport[] = [];
  readonly log: HoldLog;
  isStoreDown = false;

  constructor(list: Store['workers']['list'] = () => Promise.resolve([])) {
    const { holds } = this;
    this.log = new HoldLog({
      store: {
        workers: {
          list,
          say: (_node: string, report: WorkerReport) => {
            if (this.isStoreDown) return Promise.reject(new Error('down'));
            this.reports.push(report);
            return Promise.resolve();
          },
        } as unknown as Store['workers'],
      },
      ...{ node: 'a', now: () => this.now },
      sms: {
        routes: [
          { channel: 'sms', countries: ['DE'], gateways: ['two'] },
          { channel: 'sms', gateways: ['one'] },
        ],
        get holds() {
          return ['one', 'two'].flatMap((name) => {
            const hold = holds.get(name);
            return hold === undefined ? [] : [[name, hold] as const];
          });
        },
      },
      push: {
        name: 'fcm',
        get hold() {
          return holds.get('fcm');
        },
      },
    });
  }

  /** Looks at a second after the start, at which the gateways hold messages for these causes. */
  async at(second: number, causes: Readonly<Record<string, HoldCause>> = {}): Promise<void> {
    this.now = START + second * 1000;
    this.holds.clear();
    for (const [gateway, cause] of Object.entries(causes)) this.holds.set(gateway, { cause, reason: null });
    await this.log.look(this.now);
  }

  /** The holds of the last report, with seconds after the start. */
  get reported() {
    const second = (at: number | null) => (at === null ? null : (at - START) / 1000);
    return this.reports
      .at(-1)
      ?.holds.map(({ gateway, cause, since, until }) => [gateway, cause, second(since), second(until)]);
  }
}

describe('a hold of a gateway that a worker reports', () => {
  type Look = readonly [second: number, causes?: Readonly<Record<string, HoldCause>>];

  it.each<readonly [string, readonly Look[], readonly (readonly unknown[])[]]>([
    [
      'lasts',
      [
        [0, { one: 'account' }],
        [90, { one: 'account' }],
      ],
      [['one', 'account', 0, null]],
    ],
    ['ends as soon as it is gone', [[0, { one: 'failing' }], [10]], [['one', 'failing', 0, 10]]],
    ['is forgotten if it was short', [[0, { one: 'failing' }], [9.999]], []],
    [
      'ends while another lasts',
      [
        [0, { one: 'account', fcm: 'account' }],
        [20, { fcm: 'account' }],
      ],
      [
        ['one', 'account', 0, 20],
        ['fcm', 'account', 0, null],
      ],
    ],
    [
      'comes again after its end',
      [[0, { one: 'account' }], [20], [40, { one: 'account' }]],
      [
        ['one', 'account', 0, 20],
        ['one', 'account', 40, null],
      ],
    ],
    [
      'has another cause than the one before',
      [
        [0, { one: 'failing' }],
        [20, { one: 'account' }],
      ],
      [
        ['one', 'failing', 0, 20],
        ['one', 'account', 20, null],
      ],
    ],
    [
      'is one pause after the other',
      [[0, { one: 'pause' }], [15, { one: 'pause' }], [45], [46, { one: 'pause' }], [76]],
      [['one', 'pause', 0, null]],
    ],
    [
      'is a pause that ended when it was last seen',
      [[0, { one: 'pause' }], [15, { one: 'pause' }], [45.001]],
      [['one', 'pause', 0, 15]],
    ],
    ['is a pause that was seen once', [[0, { one: 'pause' }], [30.001]], []],
    [
      'is a rate for a moment',
      [
        [0, { one: 'rate' }],
        [4.999, { one: 'rate' }],
      ],
      [],
    ],
    [
      'is a rate for longer',
      [
        [0, { one: 'rate' }],
        [5, { one: 'rate' }],
      ],
      [['one', 'rate', 0, null]],
    ],
    [
      'is a rate that has ended',
      [[0, { one: 'rate' }], [12, { one: 'rate' }], [42.001]],
      [['one', 'rate', 0, 12]],
    ],
  ])('%s', async (_what, looks, expected) => {
    const worker = new Worker();
    for (const [second, causes] of looks) await worker.at(second, causes);
    await worker.log.stop(worker.now);
    expect(worker.reported).toEqual(expected);
    expect(worker.reports.at(-1)).toMatchObject({ hasStopped: true });
  });

  it('begins when the gateway says', async () => {
    const worker = new Worker();
    worker.holds.set('one', { cause: 'account', reason: null, since: START - 3000 });
    await worker.log.look(START);
    expect(worker.reported).toEqual([['one', 'account', -3, null]]);
  });
});

describe('the holds that a worker reports', () => {
  it('are reported when they change, and every 20 seconds', async () => {
    const worker = new Worker();
    const counts: number[] = [];
    for (const [second, cause] of [
      [0],
      [19.999],
      [20],
      [21, 'account'],
      [22, 'account'],
      [0, 'account'],
    ] as const) {
      await worker.at(second, cause && { one: cause });
      counts.push(worker.reports.length);
    }
    expect(counts).toEqual([1, 1, 2, 3, 3, 4]);
    expect(worker.reports[0]?.routes.at(-1)).toEqual({ channel: 'push', gateways: ['fcm'] });
  });

  it('are reported at once when a circuit changes, from the first look on, and later if the store is down', async () => {
    const worker = new Worker();
    worker.holds.set('one', { cause: 'failing', reason: null });
    worker.log.changed();
    await new Promise((done) => setImmediate(done));
    expect(worker.reports).toEqual([]);
    await worker.at(0);
    worker.holds.set('one', { cause: 'failing', reason: null });
    worker.isStoreDown = true;
    worker.log.changed();
    await worker.log.looked;
    expect(worker.reported).toEqual([]);
    worker.isStoreDown = false;
    worker.log.changed();
    await worker.log.looked;
    expect(worker.reported).toEqual([['one', 'failing', 0, null]]);
  });

  it('continue those of the last run, for which another worker is no sign of an end', async () => {
    const hold = (gateway: string, since: number, until: number | null): Hold => ({
      ...{ cause: 'account', channel: 'sms', gateway, reason: null },
      ...{ since: START + since * 1000, until: until === null ? null : START + until * 1000 },
    });
    const report = (name: string, heard: number, holds: readonly Hold[]) => ({
      ...{ name, routes: [], holds, heardAt: START + heard * 1000 },
    });
    const worker = new Worker(() =>
      Promise.resolve([
        report('b', -15, [hold('b', -99, null)]),
        report('a', -30, [hold('short', -99, -90), hold('long', -99, -89), hold('open', -99, null)]),
      ]),
    );
    await worker.log.look(START);
    expect(worker.reported).toEqual([
      ['long', 'account', -99, -89],
      ['open', 'account', -99, -30],
    ]);
  });

  it('contain the time without a worker of a restart, however short of a minute', async () => {
    const last = { name: 'a', routes: [], holds: [], heardAt: START - 10_000 };
    const worker = new Worker(() => Promise.resolve([last]));
    await worker.log.look(START);
    expect(worker.reported).toEqual([[null, 'worker', -10, 0]]);
  });
});

describe('what held an expired message', () => {
  const TURKEY = '+905551112233';
  const GERMANY = '+4915123456789';

  it.each([
    ['the account of its gateway', 'sms', TURKEY, { one: 'account' }, ['account', 'one']],
    ['the account of the gateway of its country', 'sms', GERMANY, { two: 'account' }, ['account', 'two']],
    ['no gateway of another country', 'sms', GERMANY, { one: 'account' }, undefined],
    ['no gateway of another channel', 'push', 'DEV-1', { one: 'account', two: 'account' }, undefined],
    ['the gateway of push messages', 'push', 'DEV-1', { fcm: 'failing' }, ['failing', 'fcm']],
  ] as const)('is %s', async (_what, channel, recipient, causes, expected) => {
    const worker = new Worker();
    await worker.at(0, causes);
    worker.now = START + MINUTE;
    const message = { recipient, createdAt: START, expiresAt: START + MINUTE } as ClaimedMessage;
    const held = worker.log.heldBy(channel, message);
    expect(held && [held.cause, held.gateway]).toEqual(expected);
  });

  it('is a database that did not respond, whatever the channel, once for each outage', async () => {
    const worker = new Worker();
    await worker.at(0);
    for (const [isGood, second] of [
      [false, 1],
      [false, 2],
      [true, 40],
      [true, 50],
      [false, 55],
    ] as const)
      worker.log.storeAnswered(isGood, START + second * 1000);
    await worker.at(56);
    expect(worker.reported).toEqual([
      [null, 'database', 1, 40],
      [null, 'database', 55, null],
    ]);
    const message = { recipient: 'DEV-1', createdAt: START, expiresAt: START + MINUTE } as ClaimedMessage;
    for (const channel of ['sms', 'push'] as const)
      expect(worker.log.heldBy(channel, message)).toMatchObject({ cause: 'database', since: START + 1000 });
  });
});
