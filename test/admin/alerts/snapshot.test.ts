// What the rules of alerts get to see.

import { Registry } from 'prom-client';

import { readSnapshot } from '../../../src/admin/alerts/snapshot';
import { type Config, loadConfig } from '../../../src/config';
import type { Store } from '../../../src/store';
import { writeSchool } from '../../../scripts/harness';
import { useDatabase } from '../../harness/test-databases';
import { DAY, HOUR, MINUTE, NOW } from './snapshots';

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
