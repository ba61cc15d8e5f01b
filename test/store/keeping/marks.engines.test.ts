import { inspectStore, type Store } from '../../../src/store';
import type { Connection, Engine } from '../../../src/store/engine/engine';
import { readMark } from '../../../src/store/keeping/marks';
import { AlertNotes } from '../../../src/store/keeping/alert-notes';
import { Imports } from '../../../src/store/keeping/imports';
import { Backups } from '../../../src/store/keeping/backups';
import { EXACT_KEYS, keyCollation } from '../../../src/support/key-collation';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { writeSchool } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';

describe.each(ENGINES)('the marks on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  describe('for scheduled work', () => {
    it('let one process claim it, and another one if the first is killed', async () => {
      const claim = (now: number) => store.backups.takeTurn(now, 500, 100);
      expect([await claim(1000), await claim(1000), await claim(1099)]).toEqual([true, false, false]);
      expect([await claim(1100), await claim(1100)]).toEqual([true, false]);
    });

    it('make the next turn due at its time', async () => {
      await store.backups.setNext(2000);
      const claim = (now: number) => store.backups.takeTurn(now, 1000, 100);
      expect([await claim(1999), await claim(2000)]).toEqual([false, true]);
    });

    it('keep a claim that is longer than the interval', async () => {
      expect(await store.backups.takeTurn(1000, 10, 100)).toBe(true);
      expect(await store.backups.takeTurn(1000, 10, 100)).toBe(false);
    });

    it('ignore a due time further away than the interval', async () => {
      await store.backups.setNext(1501);
      expect(await store.backups.takeTurn(1000, 500, 100)).toBe(true);
      await store.backups.setNext(1500);
      expect(await store.backups.takeTurn(1000, 500, 100)).toBe(false);
    });

    it('keep backups and imports apart', async () => {
      expect(await store.backups.takeTurn(1000, 500, 100)).toBe(true);
      expect(await store.imports.takeTurn(1000, 500, 100)).toBe(true);
      expect(await store.imports.takeTurn(1000, 500, 100)).toBe(false);
    });

    it('are found by other versions of the program', async () => {
      await store.backups.takeTurn(1000, 500, 100);
      await store.imports.setNext(2000);
      const { kysely } = database.engine().direct;
      expect(await readMark(kysely, 'next backup')).toEqual({ at: 1100, detail: '' });
      expect(await readMark(kysely, 'next import')).toEqual({ at: 2000, detail: '' });
    });

    it('return the last import as it was recorded, and no backup before the first', async () => {
      expect([await store.backups.last(), await store.imports.last()]).toEqual([undefined, undefined]);
      const first = { at: 1, isGood: false, state: '', filesAt: 2, report: 'no' };
      const last = { at: 3, isGood: true, state: 's', filesAt: 4, report: 'read 1 row' };
      await store.imports.record(first);
      await store.imports.record(last);
      expect(await store.imports.last()).toEqual(last);
    });
  });

  describe('for imports from the console', () => {
    const anna = { node: 'a', who: 'anna' };
    const ben = { node: 'b', who: 'ben' };

    it('let one node import, as long as it renews its claim', async () => {
      expect(await store.imports.claim(anna, 1000, 100)).toBeUndefined();
      expect(await store.imports.claim(ben, 1050, 100)).toEqual(anna);
      expect(await store.imports.claim(anna, 1050, 100)).toBeUndefined();
      expect(await store.imports.claim(ben, 1149, 100)).toEqual(anna);
      expect(await store.imports.claim(ben, 1150, 100)).toBeUndefined();
      expect(await store.imports.claim(anna, 1150, 100)).toEqual(ben);
    });

    it('end the claim of the node that releases it, and of no other', async () => {
      await store.imports.release('a');
      await store.imports.claim(anna, 1000, 100);
      await store.imports.release('b');
      expect(await store.imports.claim(ben, 1000, 100)).toEqual(anna);
      await store.imports.release('a');
      expect(await store.imports.claim(ben, 1000, 100)).toBeUndefined();
    });

    it('ignore a claim by a clock that is far ahead', async () => {
      await store.imports.claim(anna, 1100, 100);
      expect(await store.imports.claim(ben, 1000, 100)).toEqual(anna);
      expect(await store.imports.claim(ben, 999, 100)).toBeUndefined();
    });
  });

  describe('for notifications about alerts', () => {
    const take = (owner: string, now: number) => store.alertNotes.take(owner, now, 100);

    it('let one node notify, as long as it renews its lease', async () => {
      expect(await take('a', 1000)).toBe('');
      expect(await take('b', 1050)).toBeUndefined();
      expect(await take('a', 1050)).toBe('');
      expect(await take('b', 1149)).toBeUndefined();
      expect(await take('b', 1150)).toBe('');
      expect(await take('a', 1150)).toBeUndefined();
    });

    it('hand the saved notes to the next holder', async () => {
      await take('a', 1000);
      await store.alertNotes.save('a', 1100, 'sent');
      expect(await take('b', 1099)).toBeUndefined();
      expect(await take('a', 1099)).toBe('sent');
      await store.alertNotes.save('a', 0, 'sent twice');
      expect(await take('b', 1100)).toBe('sent twice');
    });

    it('ignore a lease by a clock that is far ahead', async () => {
      await take('a', 1100);
      expect(await take('b', 1000)).toBeUndefined();
      expect(await take('b', 999)).toBe('');
    });
  });

  it.each<readonly [string, string, (engine: Engine) => Promise<unknown>]>([
    ['a turn of backups', 'backup', (watched) => new Backups(watched).takeTurn(1000, 500, 100)],
    ['a turn of imports', 'import', (watched) => new Imports(watched).takeTurn(1000, 500, 100)],
    [
      'a claim of imports from the console',
      'console import',
      (watched) => new Imports(watched).claim({ node: 'a', who: 'anna' }, 1000, 100),
    ],
    ['the end of such a claim', 'console import', (watched) => new Imports(watched).release('a')],
    ['the lease of alerts', 'alerts', (watched) => new AlertNotes(watched).take('a', 1000, 100)],
  ])(
    'lock %s before they read it, as PostgreSQL would let others read it meanwhile',
    async (_what, name, use) => {
      const opened = database.engine();
      const steps: string[] = [];
      const write: Engine['write'] = (work) =>
        opened.write((connection) => {
          const watched = Object.create(connection, {
            kysely: { get: () => (steps.push('statement'), connection.kysely) },
            lock: { value: (names: readonly string[]) => (steps.push(...names), connection.lock(names)) },
          }) as Connection; // With all of its properties.
          return work(watched);
        });
      await use({ ...opened, direct: opened.direct, write });
      expect(steps[0]).toBe(name);
      expect(steps).toContain('statement');
    },
  );

  describe('of the collation', () => {
    const keys = keyCollation('Turkish_CI_AS') ?? EXACT_KEYS;
    const refused = (loaded: string, now: string) => ({
      trouble: 'conflict',
      message: expect.stringContaining(
        `The data was loaded with KEY_COLLATION=${loaded}. Set it back to that, or use a new database: with it set to ${now}, stored ids would not be found.`,
      ) as string,
    });

    it('is recorded by the service, and not by an inspection, as long as there is no data', async () => {
      const { kysely } = database.engine().direct;
      await inspectStore({ url: database.url, keys });
      expect(await readMark(kysely, 'collation')).toBeUndefined();
      await database.open({ keys });
      expect(await readMark(kysely, 'collation')).toMatchObject({ detail: 'Turkish_CI_AS' });
    });

    it.each([
      ['Turkish_CI_AS', 'nothing', keys, EXACT_KEYS],
      ['', 'Turkish_CI_AS', EXACT_KEYS, keys],
    ])('refuses data that was loaded with %j when it is set to %s', async (loaded, now, before, after) => {
      const filled = await database.open({ keys: before });
      await filled.importFolder(writeSchool(`${database.folder}/csv`, SMALL_SCHOOL));
      await expect(database.open({ keys: after })).rejects.toMatchObject(refused(loaded, now));
      await expect(inspectStore({ url: database.url, keys: after })).rejects.toMatchObject(
        refused(loaded, now),
      );
    });
  });
});
