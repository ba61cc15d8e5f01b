// What the rules of alerts get to see.

import { Registry } from 'prom-client';

import { activeAlerts, AlertWatch } from '../../../src/admin/alerts/alerts';
import { readSnapshot } from '../../../src/admin/alerts/snapshot';
import { type Config, loadConfig } from '../../../src/config';
import type { Store } from '../../../src/store';
import { englishText } from '../../../src/support/phrase';
import { writeSchool } from '../../../scripts/harness';
import { useDatabase } from '../../harness/test-databases';
import { DAY, HOUR, MINUTE, NOW, stored, WELL } from './snapshots';

const NODE = { name: 'a:8080', version: '1', folder: '/nowhere', metrics: { registry: new Registry() } };
const FACTS = { version: '1', processes: 1, circuits: [] };
const readFrom = (store: Store, config: Partial<Config> = {}) =>
  readSnapshot(store, NODE, { config: { ...loadConfig({}), ...config }, findings: [] }, NOW);

describe('a snapshot', () => {
  const database = useDatabase('sqlite');

  it('holds an hour by the minute and a day by the hour', async () => {
    const store = await database.open();
    const agesMs = [-MINUTE, MINUTE, HOUR - MINUTE, HOUR + MINUTE, DAY - HOUR, DAY + HOUR];
    await store.stats.add(
      agesMs.map((ageMs, at) => ({
        ...{ at: NOW - ageMs, figure: 'settled' as const, labels: ['sms', 'sent'], count: 10 ** at },
      })),
      [],
      NOW,
    );
    const { store: read } = await readFrom(store);
    const sumOf = (points: NonNullable<typeof read>['minutes'] = []): number =>
      points.flatMap(({ settled }) => settled).reduce((sum, { messages }) => sum + messages, 0);
    expect(sumOf(read?.minutes)).toBe(110);
    expect(sumOf(read?.hours)).toBe(11_110);
  });

  it('holds the codes that failed in the last ten minutes', async () => {
    const store = await database.open();
    const endAt = async (now: number, recipient: string): Promise<void> => {
      await store.messages.enqueue({
        ...{ channel: 'sms', recipient, school: '', payload: { text: 'x' }, dedupeKey: null },
        ...{ createdAt: now, expiresAt: now + MINUTE },
      });
      const claim = { ...{ owner: 'w', leaseUntil: now + MINUTE, now }, channel: 'sms', limit: 1 } as const;
      for (const { id } of await store.outbox.claim(claim))
        await store.outbox.settle({
          ...{ ...claim, id, state: 'failed', nextAttemptAt: now, attempted: true, erase: false },
          ...{
            providerId: null,
            reason: { code: 'provider_rejected', status: 200, detail: '30', gateway: 'own' },
          },
        });
    };
    await endAt(NOW - 11 * MINUTE, '905551112233');
    await endAt(NOW - 9 * MINUTE, '905551112244');
    const { store: read } = await readFrom(store);
    expect(read?.codes).toMatchObject({ failed: 1, failedNumbers: 1 });
  });

  it('holds the other nodes apart from this one', async () => {
    const store = await database.open();
    await store.nodes.say(NODE.name, FACTS, NOW);
    await store.nodes.say('b:8080', FACTS, NOW);
    const { store: read, speakingNodes } = await readFrom(store);
    expect(read?.otherNodes.map(({ name }) => name)).toEqual(['b:8080']);
    expect(speakingNodes.map(({ name }) => name)).toEqual([NODE.name, 'b:8080']);
  });

  it('states which schools are loaded', async () => {
    const loadedIn = async (store: Store) => (await readFrom(store)).store?.loadedSchools;
    const store = await database.open();
    expect(await loadedIn(store)).toBe('nothing');
    const load = (school: string, device: string) =>
      store.importFolder(
        writeSchool(`${database.folder}/${device}`, {
          schools: [`${school},School`],
          classes: [`${school},1A,1A`],
          students: [`${school},S1,Ada,Y,1A`],
          devices: [`${device},${school},S1,token of ${device},android,`],
        }),
      );
    await load('http://one.example', 'D1');
    expect(await loadedIn(store)).toBe('others');
    await load('http://two.example', 'DEV-1');
    expect(await loadedIn(store)).toBe('sample');
  });

  it('names the channels that write to a file, unless another process sends', async () => {
    const store = await database.open();
    const filesOf = async (config: Partial<Config>) => (await readFrom(store, config)).fileChannels;
    const channels = { SMS_CHANNEL: 'file', PUSH_CHANNEL: 'fcm' } as const;
    expect(await filesOf({ ...channels, ROLE: 'all' })).toEqual(['sms']);
    expect(await filesOf({ ...channels, ROLE: 'worker' })).toEqual(['sms']);
    expect(await filesOf({ ...channels, ROLE: 'web' })).toEqual([]);
  });
});

describe('a watch', () => {
  const database = useDatabase('sqlite');

  it('looks at its start and every ten seconds, and its stop waits for the look under way', async () => {
    const store = await database.open();
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    let looks = 0;
    let looked = (): void => undefined;
    const next = (): Promise<void> => new Promise((resolve) => (looked = resolve));
    let goOn = (): void => undefined;
    const watch = new AlertWatch({
      ...{ store, node: NODE, registry: new Registry(), findings: [], config: loadConfig({}) },
      now: () => NOW,
      onLook: async () => {
        looks += 1;
        const held = new Promise<void>((resolve) => (goOn = resolve));
        looked();
        await held;
      },
    });
    try {
      const first = next();
      watch.start();
      await first;
      goOn();
      await watch.look();
      const second = next();
      jest.advanceTimersByTime(10_000);
      await second;
      expect(looks).toBeGreaterThanOrEqual(2);
      const order: string[] = [];
      const stopped = watch.stop().then(() => order.push('stopped'));
      await new Promise((resolve) => setImmediate(resolve));
      order.push('look goes on');
      goOn();
      await stopped;
      expect(order).toEqual(['look goes on', 'stopped']);
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });
});

const namesIn = (...args: Parameters<typeof activeAlerts>) =>
  activeAlerts(...args).map(({ rule }) => rule.name);
const point = (minutesAgo: number, settled: (typeof POINT)['settled']) => ({
  ...{ ...POINT, at: NOW - minutesAgo * MINUTE, settled },
});
const POINT = {
  ...{ at: NOW, requests: [], errors: [], forwarded: [], attempts: [], receipts: [], sent: [] },
  settled: [] as readonly {
    readonly channel: 'push' | 'sms';
    readonly state: 'expired' | 'failed' | 'sent' | 'written';
    readonly messages: number;
  }[],
};

it.each([
  ['sent', 'sms', 10, []],
  ['written', 'sms', 10, []],
  ['failed', 'sms', 1, ['SendingStopped']],
  ['sent', 'push', 1, ['SendingStopped']],
  ['sent', 'sms', 11, ['SendingStopped']],
] as const)(
  'a message was %s over %s %d minutes ago, and codes are due',
  (state, channel, minutesAgo, names) => {
    const backlog = [
      { channel: 'sms' as const, messages: 1, oldestCreatedAt: NOW, oldestDueAt: NOW - 10 * MINUTE - 1 },
    ];
    const minutes = [point(minutesAgo, [{ channel, state, messages: 1 }])];
    expect(namesIn(stored({ backlog, minutes }))).toEqual(names);
  },
);

it('piles up only what failed', () => {
  const hours = (failed: number) => [
    point(60, [
      { channel: 'push', state: 'sent', messages: 500 },
      { channel: 'push', state: 'failed', messages: failed },
    ]),
  ];
  expect(namesIn(stored({ hours: hours(100) }))).toEqual([]);
  expect(namesIn(stored({ hours: hours(101) }))).toEqual(['DeadLettersGrow']);
});

it.each([
  [['sms'], 'Trial mode: SMS are not sent'],
  [['push'], 'Trial mode: push messages are not sent'],
  [['sms', 'push'], 'Trial mode: SMS and push messages are not sent'],
] as const)('a trial in which %j write to a file: %s', (fileChannels, summary) => {
  const alerts = activeAlerts({ ...stored({ loadedSchools: 'sample' }), fileChannels });
  expect(alerts.map((alert) => englishText(alert.summary))).toEqual([summary]);
});

it('lists all errors of the settings in one alert', () => {
  const findings = ['A is wrong', 'B is wrong'].map((message) => ({ level: 'error' as const, message }));
  const [alert] = activeAlerts({ ...WELL, findings });
  expect(alert && englishText(alert.description)).toBe('Errors: A is wrong; B is wrong.');
});
