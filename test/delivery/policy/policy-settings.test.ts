import { useDatabase } from '../../harness/test-databases';
import { useProvider } from '../use-provider';
import { RunningDelivery } from '../running-delivery';

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;
const PHONE = '+905551112233';

/** Codes that are asked for, each so long after the one before, and what becomes of it. */
type Step = readonly [code: string, afterMs: number, outcome: object, phone?: string];

const STORED = { kind: 'stored' };
const tooMany = (seconds: number): object => ({ kind: 'too-many', retryAfterSeconds: seconds });

describe('a setting of the send policy', () => {
  const database = useDatabase('sqlite');
  const provider = useProvider();

  it.each<readonly [string, Readonly<Record<string, string>>, readonly Step[]]>([
    [
      'CODE_REPEAT_SECONDS',
      { CODE_REPEAT_SECONDS: '5' },
      [
        ['1', 0, STORED],
        ['1', 5 * SECOND - 1, { kind: 'repeated' }],
        ['1', 1, STORED],
      ],
    ],
    [
      'CODE_REPEAT_SECONDS at 0',
      { CODE_REPEAT_SECONDS: '0' },
      [
        ['1', 0, STORED],
        ['1', 0, STORED],
      ],
    ],
    [
      'CODE_LIMITS with a time between two',
      { CODE_LIMITS: '1/30s' },
      [
        ['1', 0, STORED],
        ['2', 0, tooMany(30)],
        ['2', 30 * SECOND, STORED],
      ],
    ],
    [
      'CODE_LIMITS in ten minutes',
      { CODE_LIMITS: '20/24h, 1/10m' },
      [
        ['1', 0, STORED],
        ['2', SECOND, tooMany(599)],
      ],
    ],
    [
      'CODE_LIMITS in a day',
      { CODE_LIMITS: '1/24h' },
      [
        ['1', 0, STORED],
        ['2', SECOND, tooMany(DAY / SECOND - 1)],
        ['2', DAY, STORED],
      ],
    ],
    [
      'CODE_LIMITS for all phones', // It is ten in the morning.
      { CODE_LIMITS: 'all:1/day' },
      [
        ['1', 0, STORED],
        ['1', 0, tooMany(14 * 60 * 60), '+905551112234'],
      ],
    ],
    [
      'ALLOWED_COUNTRIES',
      { ALLOWED_COUNTRIES: 'DE, TR' },
      [
        ['1', 0, STORED],
        ['1', 0, { kind: 'country-not-served' }, '+33612345678'],
      ],
    ],
  ])('takes effect: %s', async (_name, settings, steps) => {
    const store = await database.open();
    const service = new RunningDelivery(store, database, { sms: provider(), push: provider() }, settings);
    for (const [code, afterMs, outcome, phone = PHONE] of steps) {
      service.now += afterMs;
      expect(await service.sendCode(code, phone)).toMatchObject(outcome);
    }
  });

  it.each([
    [60 * SECOND - 1, 'suppressed'],
    [60 * SECOND, 'open'],
  ] as const)('takes effect: REPEAT_WINDOW, %i ms after push messages were made', async (afterMs, state) => {
    const store = await database.open();
    await store.importFolder('scripts/sample-school');
    const providers = { sms: provider(), push: provider() };
    const service = new RunningDelivery(store, database, providers, { REPEAT_WINDOW: '60' });
    // Nobody delivered when it was taken on.
    const first = await service.sendMarks();
    service.now += 10 * SECOND;
    service.delivery.start();
    await service.line({ messageId: first, state: 'open' });
    service.now += afterMs;
    const again = await service.sendMarks();
    service.now += 10 * SECOND;
    const ended = await service.line({ messageId: again });
    await service.delivery.stop(1000);
    expect(ended).toMatchObject({ state });
  });

  it('takes effect: REPEAT_WINDOW at 0 sends a note each time it is requested', async () => {
    const store = await database.open();
    await store.importFolder('scripts/sample-school');
    const providers = { sms: provider(), push: provider() };
    const service = new RunningDelivery(store, database, providers, { REPEAT_WINDOW: '0' });
    service.delivery.start();
    const requests = [await service.sendMarks(), await service.sendMarks()];
    const sent = await service.lines(2, { channel: 'mark', state: 'open' });
    expect(sent.map(({ messageId }) => messageId).toSorted()).toEqual(requests.toSorted());
    await service.delivery.stop(1000);
  });
});
