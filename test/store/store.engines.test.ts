import { copyFileSync } from 'node:fs';

import { openStore, StoreError } from '../../src/store';
import { SMALL_SCHOOL } from '../harness/small-school';
import { writeSchool } from '../../scripts/harness';
import { markAsLater } from '../harness/other-versions';
import { ENGINES, useDatabase } from '../harness/test-databases';

describe.each(ENGINES)('a store on %s', (engine) => {
  const database = useDatabase(engine, { holds: 'nothing' });

  it('is created by one of several processes that open it at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, () => database.open()));
    for (const store of stores) await expect(store.noteTypes.all()).resolves.toEqual([]);
  });

  it('refuses a schema newer than the program, in one line that names both', async () => {
    await (await database.open()).close();
    await markAsLater(database.url);

    // The service changes a schema, the commands only look at it.
    for (const options of [{}, { mustExist: true }]) {
      await expect(database.open(options)).rejects.toMatchObject({
        name: 'StoreError',
        trouble: 'newer-schema',
        message: expect.stringMatching(
          /^The database schema is newer than this program: 9999_later instead of \w+\. .+$/,
        ) as string,
      });
    }
  });

  it('creates nothing if it must exist already', async () => {
    await expect(database.open({ mustExist: true })).rejects.toMatchObject({ trouble: 'no-schema' });
    await database.open();
    await expect(database.open({ mustExist: true })).resolves.toBeDefined();
  });

  it('answers a ping until it is closed', async () => {
    const store = await database.open();
    await expect(store.ping()).resolves.toBeUndefined();
    await store.close();
    await expect(store.ping()).rejects.toBeInstanceOf(StoreError);
  });

  it('reports for each writing transaction how long it took, or what went wrong', async () => {
    const reported: (readonly [milliseconds: number, trouble: string | undefined])[] = [];
    const store = await database.open({
      onWrite: (milliseconds, trouble) => reported.push([milliseconds, trouble]),
    });
    reported.length = 0;
    await store.messages.enqueue({
      ...{
        channel: 'mark',
        recipient: '1A',
        school: '',
        payload: {},
        createdAt: 1,
        expiresAt: 2,
        dedupeKey: null,
      },
    });
    await store.write((transaction) => transaction.lock('name'));
    await store.writeShort((transaction) => transaction.lock('name'));
    expect(reported.map(([, trouble]) => trouble)).toEqual([undefined, undefined, undefined]);
    expect(Math.min(...reported.map(([milliseconds]) => milliseconds))).toBeGreaterThan(0);

    await store.noteTypes.all();
    const mistake = new Error('on purpose');
    await expect(store.write(() => Promise.reject(mistake))).rejects.toBe(mistake);
    expect(reported.filter(([, trouble]) => trouble !== undefined)).toEqual([]);
    const broken = new StoreError('full', 'The disk is full.');
    await Promise.allSettled([store.write(() => Promise.reject(broken))]);
    await store.close();
    await expect(store.write(() => Promise.resolve())).rejects.toBeInstanceOf(StoreError);
    expect(reported.at(-1)).toEqual([expect.any(Number), expect.any(String)]);
  });

  it('can be closed twice', async () => {
    const store = await database.open();
    await store.close();
    await expect(store.close()).resolves.toBeUndefined();
  });

  it('keeps its data when it is reopened', async () => {
    const first = await database.open();
    await first.importFolder(writeSchool(`${database.folder}/csv`, SMALL_SCHOOL));
    await first.close();
    await expect((await database.open()).devices.tokenOf('D1')).resolves.toBe('token-1');
  });
});

describe('a store on SQLite', () => {
  const database = useDatabase('sqlite', { holds: 'nothing' });

  it('closes after everything begun before is written', async () => {
    const store = await database.open();
    const begun = store.noLongerNew();
    await store.close();
    await expect(begun).resolves.toBeUndefined();
    expect(await (await database.open()).isNew()).toBe(false);
  });

  it('leaves everything in one file when it is closed', async () => {
    const store = await database.open();
    await store.importFolder(writeSchool(`${database.folder}/csv`, SMALL_SCHOOL));
    await store.close();
    copyFileSync(`${database.folder}/service.db`, `${database.folder}/copy.db`);

    const copy = await openStore({ url: `sqlite:${database.folder}/copy.db`, mustExist: true });
    await expect(copy.devices.tokenOf('D1')).resolves.toBe('token-1');
    await copy.close();
  });
});

describe('a store in memory', () => {
  it('accepts an import and answers queries', async () => {
    const store = await openStore({ url: 'sqlite::memory:' });
    await store.importFolder('scripts/sample-school');
    await expect(store.devices.tokenOf('DEV-1')).resolves.toBe('sample-token-01');
    await store.close();
  });
});
