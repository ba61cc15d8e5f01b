import { setImmediate as nextTurn } from 'node:timers/promises';

import { Registry } from 'prom-client';

import { NodePulse } from '../../../src/admin/history/nodes';
import { StoreError } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';

const NOW = Date.parse('2026-11-23T10:00:00Z');
const HOUR = 60 * 60_000;

describe.each(ENGINES)('nodes on %s', (engine) => {
  const database = useDatabase(engine, { per: 'block' });
  const node = (name: string) => ({
    ...{ name, version: '1.2.3', folder: database.folder, metrics: { registry: new Registry() } },
  });

  it('know of each other while they run', async () => {
    const store = await database.open();
    const [one, two] = ['one:1', 'two:1'].map(
      (name) => new NodePulse({ store, node: node(name), now: () => NOW }),
    );
    await one?.say();
    two?.start();
    await two?.say();
    expect(await store.nodes.list()).toEqual(
      ['one:1', 'two:1'].map((name) => ({
        ...{ name, heardAt: NOW, version: '1.2.3', processes: 1, circuits: [] },
        disk: { free: expect.any(Number) as number, size: expect.any(Number) as number },
      })),
    );
    await two?.stop();
    expect((await store.nodes.list()).map(({ name }) => name)).toEqual(['one:1']);
    await one?.stop();
  });

  it('are forgotten a day after they were last heard from', async () => {
    const store = await database.open();
    let now = NOW;
    const say = (name: string) => new NodePulse({ store, node: node(name), now: () => now }).say();
    await say('gone:1');
    now += 23 * HOUR;
    await say('here:1');
    expect((await store.nodes.list()).map(({ name }) => name)).toEqual(['gone:1', 'here:1']);
    now += 2 * HOUR;
    await say('here:1');
    expect((await store.nodes.list()).map(({ name, heardAt }) => [name, heardAt])).toEqual([['here:1', now]]);
  });
});

it('a node keeps running when its store does not respond', async () => {
  const fails = () => Promise.reject(new StoreError('unavailable', 'gone'));
  const pulse = new NodePulse({
    store: { nodes: { say: fails, leave: fails } },
    node: { name: 'one:1', version: '1', folder: '/', metrics: { registry: new Registry() } },
  });
  await expect(pulse.say()).resolves.toBeUndefined();
  await expect(pulse.stop()).resolves.toBeUndefined();
});

it('a node that ends is removed after its last report', async () => {
  const steps: string[] = [];
  let reported = (): void => undefined;
  const pulse = new NodePulse({
    store: {
      nodes: {
        say: () =>
          new Promise((resolve) => {
            reported = () => {
              steps.push('report');
              resolve();
            };
            began();
          }),
        leave: () => Promise.resolve(void steps.push('removal')),
      },
    },
    node: { name: 'one:1', version: '1', folder: '/', metrics: { registry: new Registry() } },
  });
  let began = (): void => undefined;
  const begun = new Promise<void>((resolve) => (began = resolve));
  pulse.start();
  await begun;
  const stopped = pulse.stop();
  await nextTurn();
  reported();
  await stopped;
  expect(steps).toEqual(['report', 'removal']);
});
