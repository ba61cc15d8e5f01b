import { writeSchool } from '../../../scripts/harness';
import type { Store } from '../../../src/store';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { ENGINES, useDatabase } from '../../harness/test-databases';

describe.each(ENGINES)('the operator’s overview of schools on %s', (engine) => {
  const database = useDatabase(engine, { per: 'block' });
  let store: Store;
  /** Each id is also one of the other school. */
  const rows = {
    ...SMALL_SCHOOL,
    classes: [...SMALL_SCHOOL.classes, 'http://b.example,1A,Elsewhere A'],
    notes: [...SMALL_SCHOOL.notes, 'http://b.example,N1,,Elsewhere,Text'],
  };
  beforeAll(async () => {
    store = await database.open();
    await store.importFolder(writeSchool(`${database.folder}/csv`, rows));
  });

  const A = { url: 'http://a.example', name: 'Okul A', students: 3, devices: 2, withoutDevice: 2 };
  const B = { url: 'http://b.example', name: 'Okul B', students: 1, devices: 1, withoutDevice: 0 };

  it('counts students and devices, page by page', async () => {
    expect(await store.schools.page(10)).toEqual([A, B]);
    expect(await store.schools.page(1)).toEqual([A]);
    expect(await store.schools.page(1, A.url)).toEqual([B]);
    expect(await store.schools.page(1, B.url)).toEqual([]);
  });

  it('finds a school by its URL', async () => {
    expect(await store.schools.of(B.url)).toEqual(B);
    expect(await store.schools.of('http://none.example')).toBeUndefined();
  });

  it('lists the classes of a school, and last the students in none', async () => {
    expect(await store.schools.listClasses(A.url)).toEqual([
      { id: '1A', name: 'Bir A', students: 2, withoutDevice: 1 },
      { id: null, name: '', students: 1, withoutDevice: 1 },
    ]);
    expect(await store.schools.listClasses('http://none.example')).toEqual([]);
  });

  it('finds students, classes and notes by id, in all schools or in one', async () => {
    const found = async (id: string, school?: string) =>
      (await store.schools.matching(id, 10, school)).map(({ kind, school: url }) => [kind, url]);
    expect(await found('S1')).toEqual([
      ['student', A.url],
      ['student', B.url],
    ]);
    for (const [id, kind] of [
      ['S1', 'student'],
      ['1A', 'class'],
      ['N1', 'note'],
    ] as const) {
      expect(await found(id, A.url)).toEqual([[kind, A.url]]);
      expect(await found(id, B.url)).toEqual([[kind, B.url]]);
      expect(await found(id, 'http://none.example')).toEqual([]);
    }
  });

  it('does not count a device whose token is dead', async () => {
    await store.write(({ devices }) => devices.invalidateToken('D3', 'token-3'));
    expect(await store.schools.of(B.url)).toEqual({ ...B, devices: 0, withoutDevice: 1 });
  });

  it('counts a device whose token is empty as none', async () => {
    const rows = SMALL_SCHOOL.devices.map((row) => row.replace(/token-[12]/, ''));
    await store.importFolder(writeSchool(`${database.folder}/empty`, { ...SMALL_SCHOOL, devices: rows }));
    expect(await store.schools.of(A.url)).toEqual({ ...A, devices: 0, withoutDevice: 3 });
  });

  it('shows busy workers with the number of their messages', async () => {
    expect(await store.deliveries.busyWorkers()).toEqual([]);
    const now = Date.parse('2026-03-02T10:00:00Z');
    for (const recipient of ['D1', 'D2', 'D3']) {
      await store.messages.enqueue({
        ...{ channel: 'push', recipient, school: A.url, payload: {}, dedupeKey: null },
        ...{ createdAt: now, expiresAt: now + 1000 },
      });
    }
    const lease = { channel: 'push', now, leaseUntil: now + 1000 } as const;
    await store.outbox.claim({ ...lease, owner: 'one', limit: 2 });
    await store.outbox.claim({ ...lease, owner: 'other', limit: 2 });
    expect(await store.deliveries.busyWorkers()).toEqual([
      { owner: 'one', messages: 2 },
      { owner: 'other', messages: 1 },
    ]);
  });
});
