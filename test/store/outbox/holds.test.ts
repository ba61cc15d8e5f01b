import type { DeliveryRecord, Hold, MessageChannel } from '../../../src/store';
import {
  gatewaysFor,
  type HeldRoute,
  holdNow,
  holdsDuring,
  holdSentence,
  holdUntilEnd,
  mergeHolds,
  waitingFor,
  type WorkerRecord,
} from '../../../src/store/outbox/holds';
import { englishText } from '../../../src/support/phrase';

const NOW = Date.parse('2026-03-02T10:00:00Z');
const MINUTE = 60_000;
const CODE = { channel: 'sms', recipient: '+905551112233' } as const;

/** An account that a gateway refuses, since some minutes ago. */
const refused = (gateway: string, minutes: number): Hold => ({
  ...{ cause: 'account', channel: 'sms', gateway, reason: null },
  ...{ since: NOW - minutes * MINUTE, until: null },
});
const worker = (name: string, holds: readonly Hold[], more: Partial<WorkerRecord> = {}): WorkerRecord => ({
  ...{ name, holds, routes: [{ channel: 'sms', gateways: ['one', 'two'] }], heardAt: NOW - 1000 },
  ...more,
});

describe('what holds the messages of two workers', () => {
  it('is what both report, since the later of them', () => {
    const workers = [
      worker('a', [refused('one', 9), refused('two', 4)]),
      worker('b', [refused('one', 5), refused('two', 6)]),
    ];
    const holds = mergeHolds(workers, NOW);
    expect(holds.holds).toEqual([refused('one', 5), refused('two', 4)]);
    expect(holdNow(holds, CODE)).toEqual(refused('one', 5));
    expect(holdNow(mergeHolds(workers.toReversed(), NOW), CODE)).toEqual(refused('one', 5));
  });

  it('is nothing if one of them can send through one of two gateways', () => {
    const holds = mergeHolds(
      [worker('a', [refused('one', 9), refused('two', 9)]), worker('b', [refused('one', 5)])],
      NOW,
    );
    expect(holdNow(holds, CODE)).toBeUndefined();
    expect(holds.ofSome).toEqual([refused('one', 9), refused('two', 9)]);
  });

  it.each([
    [59_999, 0],
    [60_000, 1],
    [60_001, 1],
  ])('is not what a worker reported that has been silent for %i ms', (silentMs, holding) => {
    const silent = worker('a', [], { heardAt: NOW - silentMs });
    expect(mergeHolds([silent, worker('b', [refused('one', 5)])], NOW).holds).toHaveLength(holding);
  });
});

describe('what holds messages if no worker runs', () => {
  it('is that, since the last one was heard, besides what held them until then', () => {
    const stopped = { hasStopped: true };
    const merged = mergeHolds(
      [
        worker('a', [refused('one', 9), refused('two', 0)], { ...stopped, heardAt: NOW - 5 * MINUTE }),
        worker('b', [{ ...refused('two', 8), until: NOW - 7 * MINUTE }], { heardAt: NOW - 3 * MINUTE }),
      ],
      NOW,
    );
    const down = { ...refused('', 3), cause: 'worker', channel: null, gateway: null };
    expect(merged).toEqual({
      routes: [{ channel: 'sms', gateways: ['one', 'two'] }],
      holds: [
        { ...refused('one', 9), until: NOW - 5 * MINUTE },
        { ...refused('two', 0), until: NOW },
        { ...refused('two', 8), until: NOW - 7 * MINUTE },
        down,
      ],
      ofSome: [down],
    });
  });

  it('is not known before the first one has run', () => {
    expect(mergeHolds([], NOW)).toEqual({ routes: [], holds: [], ofSome: [] });
  });
});

describe('what held messages before', () => {
  it('is what any worker reported, and held the silent ones until then', () => {
    const past = { ...refused('one', 9), until: NOW - 8 * MINUTE };
    const silent = worker('a', [refused('one', 7)], { heardAt: NOW - 6 * MINUTE });
    const merged = mergeHolds([silent, worker('b', [past, refused('two', 2)])], NOW);
    expect(merged.holds).toEqual([
      { ...refused('one', 7), until: NOW - 6 * MINUTE },
      past,
      refused('two', 2),
    ]);
    expect(merged.ofSome).toEqual([refused('two', 2)]);
  });

  it.each<readonly [string, Partial<Hold>]>([
    ['cause', { cause: 'failing' }],
    ['channel', { channel: 'push' }],
    ['gateway', { gateway: 'two' }],
  ])('and now is none of both if they differ in their %s', (_what, more) => {
    const [one, other] = [refused('one', 4), { ...refused('one', 5), ...more }];
    const merged = mergeHolds([worker('a', [one]), worker('b', [other])], NOW);
    expect(merged.holds).toEqual([]);
    expect(merged.ofSome).toEqual([other, one]); // The older one first.
  });
});

describe('a message without a worker', () => {
  const message = { ...CODE, state: 'queued', attempts: 0, reason: null } as const;
  const waiting = (nextAttemptAt: number) =>
    // The rest of a message plays no part.
    waitingFor({ ...message, nextAttemptAt } as unknown as DeliveryRecord, stopped, NOW);
  const stopped = mergeHolds([worker('a', [], { hasStopped: true })], NOW);

  it.each([NOW - 1, NOW, NOW + 1])('waits for one, whatever its own time', (nextAttemptAt) => {
    expect(waiting(nextAttemptAt)).toMatchObject({ kind: 'hold', hold: { cause: 'worker' } });
  });
});

const ROUTES: readonly HeldRoute[] = [
  { channel: 'push', gateways: ['fcm'] },
  { channel: 'sms', countries: ['DE'], gateways: ['two'] },
  { channel: 'sms', gateways: ['one', 'three'] },
];
const GERMAN = { channel: 'sms', recipient: '+4915123456789' } as const;

describe('the gateways of a message', () => {
  it.each<readonly [string, MessageChannel, string, readonly string[]]>([
    ['of its country', 'sms', GERMAN.recipient, ['two']],
    ['of all other countries', 'sms', CODE.recipient, ['one', 'three']],
    ['of a number without a country', 'sms', '05551112233', ['one', 'three']],
    ['of its channel', 'push', 'DEV-1', ['fcm']],
    ['of a channel without any', 'mark', '', []],
  ])('are those %s', (_what, channel, recipient, gateways) => {
    expect(gatewaysFor(ROUTES, { channel, recipient })).toEqual(gateways);
  });

  it('are none if no route fits', () => {
    expect(gatewaysFor(ROUTES.slice(0, 2), CODE)).toEqual([]);
    expect(gatewaysFor(ROUTES.slice(0, 2), { ...CODE, recipient: '05551112233' })).toEqual([]);
  });
});

describe('what holds a message now', () => {
  const both = [refused('one', 9), refused('three', 8)] as const;
  const down: Hold = { ...both[0], cause: 'worker', channel: null, gateway: null };

  it.each<
    readonly [string, readonly Hold[], Pick<DeliveryRecord, 'channel' | 'recipient'>, Hold | undefined]
  >([
    ['all of its gateways', both, CODE, both[0]],
    ['no gateway of another country', both, GERMAN, undefined],
    ['not one of two', [both[0]], CODE, undefined],
    ['not one that has ended', [{ ...both[0], until: NOW - 1 }, both[1]], CODE, undefined],
    ['not one of another channel', [{ ...both[0], channel: 'push' }, both[1]], CODE, undefined],
    ['the lack of a worker', [...both, down], CODE, down],
    ['the lack of a worker, for a request', [down], { channel: 'mark', recipient: '' }, down],
    ['no gateway, for a request', both, { channel: 'mark', recipient: '' }, undefined],
  ])('is %s', (_what, holds, message, expected) => {
    expect(holdNow({ routes: ROUTES, holds, ofSome: [] }, message)).toEqual(expected);
  });

  it.each<readonly [string, Partial<DeliveryRecord>, readonly Hold[], object]>([
    ['nothing if it is due', {}, [], { kind: 'due' }],
    ['its gateways if it is due', {}, both, { kind: 'hold', hold: both[0] }],
    [
      'its data',
      { channel: 'mark', nextAttemptAt: NOW + 1, reason: { code: 'no_devices' } as never },
      [],
      { kind: 'data', until: NOW + 1 },
    ],
    ['quiet hours', { attempts: 0, nextAttemptAt: NOW + 1 }, both, { kind: 'quiet hours', until: NOW + 1 }],
    ['its retry', { nextAttemptAt: NOW + 1 }, [], { kind: 'retry', until: NOW + 1 }],
    [
      'its gateways, which its retry would find',
      { nextAttemptAt: NOW + 1 },
      both,
      { kind: 'hold', hold: both[0] },
    ],
    [
      'its retry, which a rate does not hold',
      { nextAttemptAt: NOW + 1 },
      both.map((hold) => ({ ...hold, cause: 'rate' as const })),
      { kind: 'retry', until: NOW + 1 },
    ],
  ])('and what it waits for is %s', (_what, more, holds, expected) => {
    const message = { ...CODE, state: 'queued', attempts: 1, reason: null, nextAttemptAt: NOW, ...more };
    // The rest of a message plays no part.
    const waiting = waitingFor(message as DeliveryRecord, { routes: ROUTES, holds, ofSome: [] }, NOW);
    expect(waiting).toEqual(expected);
  });
});

describe('what held a message', () => {
  const hold = (since: number, until: number | null, more: Partial<Hold> = {}): Hold => ({
    ...refused('one', 0),
    ...{ since: NOW + since, until: until === null ? null : NOW + until },
    ...more,
  });
  const everywhere = { channel: null, gateway: null } as const;

  it.each<readonly [string, Hold, DeliveryRecord['state'], boolean]>([
    ['before it', hold(-9, 0), 'sent', false],
    ['into its life', hold(-9, 1), 'sent', true],
    ['until now', hold(9, null), 'sent', true],
    ['from its end on', hold(10, null), 'sent', false],
    ['after its time, while it waits', hold(15, null), 'queued', true],
    ['from now on', hold(20, null), 'queued', false],
    ['everywhere', hold(1, 2, everywhere), 'sent', true],
    ['of another channel', hold(1, 2, { channel: 'push', gateway: 'fcm' }), 'sent', false],
    ['of a gateway that is not its own', hold(1, 2, { gateway: 'two' }), 'sent', false],
  ])('in the timeline is a hold %s', (_what, one, state, isShown) => {
    const message = { ...CODE, createdAt: NOW, state } as DeliveryRecord;
    const shown = holdsDuring({ routes: ROUTES, holds: [one], ofSome: [] }, message, NOW + 10, NOW + 20);
    expect(shown).toEqual(isShown ? [one] : []);
  });

  const SECOND = 1000;
  it.each<readonly [string, readonly Hold[], number | undefined]>([
    ['the longest', [hold(0, 90 * SECOND), hold(0, 95 * SECOND), hold(0, 94 * SECOND)], 1],
    ['one that lasts', [hold(90 * SECOND, null)], 0],
    ['one that ended five seconds before', [hold(90 * SECOND, 95 * SECOND)], 0],
    ['none that ended earlier', [hold(90 * SECOND, 95 * SECOND - 1)], undefined],
    ['one for half of its life', [hold(-9 * SECOND, 50 * SECOND)], 0],
    ['none for less', [hold(-99 * SECOND, 50 * SECOND - 1)], undefined],
    ['none after its end', [hold(100 * SECOND, null)], undefined],
    ['none before its life', [hold(-99 * SECOND, 0)], undefined],
  ])('until it expired is %s', (_what, holds, found) => {
    const life = { createdAt: NOW, expiresAt: NOW + 100 * SECOND };
    expect(holdUntilEnd(holds, life)).toEqual(found === undefined ? undefined : holds[found]);
  });

  it.each([
    ['account', 'one refuses the account (HTTP 401) since 0', 'one refused the account (HTTP 401), 0 to 5'],
    ['failing', 'one has been failing (HTTP 401) since 0', 'one was failing (HTTP 401), 0 to 5'],
    ['pause', 'one asked for a pause (HTTP 401) at 0', 'one asked for a pause (HTTP 401), 0 to 5'],
    [
      'rate',
      'one has been accepting fewer messages than are waiting since 0',
      'one accepted fewer messages than were waiting, 0 to 5',
    ],
    ['worker', 'no worker has been running since 0', 'no worker was running, 0 to 5'],
    ['database', 'the database has not responded since 0', 'the database was not responding, 0 to 5'],
  ] as const)('is described: %s', (cause, now, over) => {
    const reason = { code: 'provider_failing', status: 401 } as const;
    const texts = [null, 5].map((until) =>
      englishText(holdSentence(hold(0, until, { cause, reason }), (time) => String(time - NOW))),
    );
    expect(texts).toEqual([now, over]);
  });
});
