import type { Store } from '../../../src/store';
import { untilVisibleToAll } from '../../../src/store/queries/students-version';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { writeSchool } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';

/** Lists what no key can hold: PostgreSQL refuses the first two, SQLite would cut at the first. */
const UNSTORABLE = ['D1\0', 'D1\ud800', '\0'];

describe.each(ENGINES)('reading from %s', (engine) => {
  const database = useDatabase(engine, { per: 'block' });
  let store: Store;

  beforeAll(async () => {
    store = await database.open();
    await store.importFolder(writeSchool(`${database.folder}/csv`, SMALL_SCHOOL));
  });

  describe('the token of a device', () => {
    it('is the one loaded', async () => {
      await expect(store.devices.tokenOf('D2')).resolves.toBe('token-2');
    });

    it.each(['', 'd1', 'D1 ', 'D9', "D1' or '1'='1", '😀'.repeat(200), ...UNSTORABLE])(
      'is empty for the unknown device %j',
      async (id) => {
        await expect(store.devices.tokenOf(id)).resolves.toBe('');
      },
    );

    it('is empty once it was declared dead, and only for that very token', async () => {
      await expect(store.write((tx) => tx.devices.invalidateToken('D3', 'another'))).resolves.toBe(false);
      await expect(store.devices.tokenOf('D3')).resolves.toBe('token-3');
      await expect(store.write((tx) => tx.devices.invalidateToken('D3', 'token-3'))).resolves.toBe(true);
      await untilVisibleToAll(engine);
      await expect(store.devices.tokenOf('D3')).resolves.toBe('');
      await expect(store.write((tx) => tx.devices.invalidateToken('D3', 'token-3'))).resolves.toBe(false);
    });
  });

  describe('the students of a school', () => {
    it('are those with the flag, sorted by id, each with the current device', async () => {
      await expect(store.students.ofSchool('http://a.example', 'Y')).resolves.toEqual([
        { id: 'S1', fullName: 'Çağrı Şimşek', deviceId: 'D2', showActive: 'Y' },
        { id: 'S2', fullName: 'فاطمة', deviceId: '', showActive: 'Y' },
      ]);
    });

    it.each([
      ['http://b.example', 'N'],
      ['http://a.example', 'y'],
      ['http://a.example', ''],
      ['http://a.example/', 'Y'],
      ['http://unknown.example', 'Y'],
      ['', 'Y'],
      ['http://a.example\0', 'Y'],
      ['http://a.example', '\ud800'],
      ['x'.repeat(10_000), 'Y'],
    ])('are an empty list for the school %j and the flag %j', async (school, flag) => {
      await expect(store.students.ofSchool(school, flag)).resolves.toEqual([]);
    });

    it('are sorted by their bytes, whatever their language', async () => {
      const ids = ['z', 'Z', 'ä', 'a', '10', '9', 'ş', 'ı', '-', '\uE000', '😀', 'a b', 'ab'];
      const rows = ids.map((id) => `http://b.example,${id},Name,O,`);
      await store.importFolder(writeSchool(`${database.folder}/order`, { students: rows }));

      const found = (await store.students.ofSchool('http://b.example', 'O')).map(({ id }) => id);
      expect(found).toEqual(ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    });
  });

  describe('an exam', () => {
    it('comes with its entries by date and time', async () => {
      await expect(store.exams.find('E1')).resolves.toEqual({
        id: 'E1',
        name: 'First',
        entries: [
          { subjectName: 'Arabic', examDate: '2026-12-01', startTime: '09:00', durationMinutes: 60 },
          { subjectName: 'Art', examDate: '2026-12-01', startTime: '13:30', durationMinutes: 40 },
          { subjectName: 'Maths', examDate: '2026-12-02', startTime: '09:00', durationMinutes: 90 },
        ],
      });
    });

    it('may have no entries', async () => {
      await expect(store.exams.find('E2')).resolves.toEqual({ id: 'E2', name: 'Empty', entries: [] });
    });

    it.each(['E3', '', 'e1', ...UNSTORABLE])('is not found by %j', async (id) => {
      await expect(store.exams.find(id)).resolves.toBeUndefined();
    });
  });

  it('finds all note types, by id', async () => {
    await expect(store.noteTypes.all()).resolves.toEqual([
      { id: '1', name: 'Written' },
      { id: '2', name: 'Oral' },
    ]);
  });
});
