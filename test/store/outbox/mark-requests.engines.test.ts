import { join } from 'node:path';

import type { NewMessage, Store } from '../../../src/store';
import { openEngine } from '../../../src/store/open-engine';
import {
  type MarkRequests,
  type WaitingRequests,
  wakeMarkRequests,
} from '../../../src/store/outbox/mark-requests';
import { SMALL_SCHOOL } from '../../harness/small-school';
import { type SchoolRows, writeSchool } from '../../../scripts/harness';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';

const START = Date.parse('2026-03-02T10:00:00Z');
const HOUR = 3_600_000;
const A = 'http://a.example';
const B = 'http://b.example';

/** The small school with classes, notes and phones that only nearly fit. */
const SCHOOL: SchoolRows = {
  ...SMALL_SCHOOL,
  classes: [`${A},1A,Bir A`, `${A},1B,Bir B`, `${B},2B,Iki B`],
  students: [
    ...[`${A},S1,Has an old phone and a new one,Y,1A`, `${A},S2,Has a phone without a token,Y,1A`],
    ...[`${A},S3,Has none,Y,1A`, `${A},S4,Has a dead token,Y,1A`, `${A},S5,Second with a phone,N,1A`],
    ...[`${A},S6,Is in another class,Y,1B`, `${B},S1,Is elsewhere,Y,2B`],
  ],
  devices: [
    ...[`D1,${A},S1,token-1,android,2026-01-02T10:00:00Z`, `D2,${A},S1,token-2,ios,2026-01-03T10:00:00Z`],
    ...[`D3,${A},S2,,ios,`, `D4,${A},S4,token-4,ios,`, `D5,${A},S5,token-5,android,`],
    ...[`D6,${A},S6,token-6,ios,`, `D7,${B},S1,token-7,ios,`],
  ],
  notes: [`${A},N1,1,Title,Text`, `${B},N2,,Other,Words`],
};

describe.each(ENGINES)('the data for a SendMarkNotes request on %s', (engine) => {
  const database = useDatabase(engine, { per: 'block' });
  let store: Store;

  beforeAll(async () => {
    store = await database.open();
    await store.importFolder(writeSchool(join(database.folder, 'csv'), SCHOOL));
    await store.write(({ devices }) => devices.invalidateToken('D4', 'token-4'));
  });

  const ask = <T>(work: (requests: MarkRequests) => Promise<T>): Promise<T> =>
    store.write(({ markRequests }) => work(markRequests));

  it.each([
    ['nothing', { school: A, classId: '1A', note: 'N1' }, undefined],
    ['an unknown school', { school: 'http://c.example', classId: '1A', note: 'N1' }, 'school'],
    ['an unknown class', { school: A, classId: '9Z', note: 'N9' }, 'class'],
    ['a class of another school', { school: A, classId: '2B', note: 'N1' }, 'class'],
    ['an unknown note', { school: A, classId: '1A', note: 'N9' }, 'note'],
    ['a note of another school', { school: A, classId: '1A', note: 'N2' }, 'note'],
  ])('lacks %s', async (_what, named, missing) => {
    expect(await ask((requests) => requests.missing(named))).toBe(missing);
  });

  it('includes the current devices of the class whose token is not dead', async () => {
    const devicesOf = async (school: string, classId: string): Promise<readonly string[]> =>
      (await ask((requests) => requests.devicesOf({ school, classId, note: 'N1' }))).toSorted();
    expect(await devicesOf(A, '1A')).toEqual(['D2', 'D5']);
    expect(await devicesOf(A, '1B')).toEqual(['D6']);
    expect(await devicesOf(B, '2B')).toEqual(['D7']);
    expect(await devicesOf(B, '1A')).toEqual([]);
  });

  it('includes all students of the class, with or without a device', async () => {
    const studentsOf = (school: string, classId: string): Promise<number> =>
      ask((requests) => requests.studentsOf({ school, classId, note: 'N1' }));
    expect(await studentsOf(A, '1A')).toBe(5);
    expect(await studentsOf(A, '1B')).toBe(1);
    expect(await studentsOf(B, '1A')).toBe(0);
  });

  it.each([
    [
      'the note, for the device',
      'D2',
      A,
      'N1',
      { token: 'token-2', platform: 'ios', note: 'N1', title: 'Title', text: 'Text' },
    ],
    ['that the note is gone', 'D2', A, 'N9', 'note'],
    ['that the school is gone', 'D2', 'http://c.example', 'N1', 'note'],
    ['nothing of another school’s note', 'D2', A, 'N2', 'note'],
    ['that the device is gone', 'D9', A, 'N1', 'token'],
    ['that the device has no token', 'D3', A, 'N1', 'token'],
    ['that the device’s token is dead', 'D4', A, 'N1', 'token'],
  ] as const)('reports %s', async (_what, device, school, note, content) => {
    expect(await ask((requests) => requests.content(device, school, note))).toEqual(content);
  });
});

describe.each(ENGINES)('a SendMarkNotes request on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  function add(more: Partial<NewMessage> = {}): Promise<string> {
    return store.messages.enqueue({
      ...{ channel: 'mark', recipient: '1A', school: A, payload: { note: 'N1' }, dedupeKey: 'key' },
      ...{ createdAt: START, expiresAt: START + 24 * HOUR, ...more },
    });
  }
  async function settle(state: 'open' | 'failed', now: number): Promise<void> {
    const claim = { channel: 'mark', owner: 'w', limit: 9, now: START, leaseUntil: START + HOUR } as const;
    for (const { id, leaseUntil } of await store.outbox.claim(claim)) {
      if (state === 'open') await store.write(({ markRequests }) => markRequests.resolved(id, 0, now));
      await store.outbox.settle({
        ...{ id, owner: 'w', leaseUntil, state, nextAttemptAt: now, attempted: true, erase: false },
        ...{ providerId: null, reason: null, now },
      });
    }
  }

  it('repeats one with the same key that was resolved recently, but none that failed or waits', async () => {
    const resolved = (key: string, since: number): Promise<boolean> =>
      store.write(({ markRequests }) => markRequests.resolvedSince(key, since));
    await add();
    expect(await resolved('key', START - 1)).toBe(false);
    await settle('failed', START);
    expect(await resolved('key', START - 1)).toBe(false);
    await add();
    await settle('open', START + 5);
    expect(await resolved('key', START + 4)).toBe(true);
    expect(await resolved('key', START + 5)).toBe(false);
    expect(await resolved('other', START)).toBe(false);
  });

  async function importSchool(): Promise<void> {
    await store.importFolder(writeSchool(join(database.folder, 'csv'), { schools: [`${A},A`] }));
  }

  it('that waits is counted for its school, or for all unknown schools, up to a limit', async () => {
    await importSchool();
    const later = { notBefore: START + 1 };
    for (const school of [A, A, B, 'http://c.example']) await add({ school, ...later });
    await add({ notBefore: START });
    await add({ school: B, channel: 'push', ...later });
    await add({ school: B });
    await settle('failed', START);
    const waiting = (which: WaitingRequests, most = 9): Promise<number> =>
      store.write(({ markRequests }) => markRequests.waiting(which, most, START));
    expect(await waiting({ school: A })).toBe(2);
    expect(await waiting({ school: B })).toBe(1);
    expect(await waiting({ school: 'http://d.example' })).toBe(0);
    expect(await waiting('of unknown schools')).toBe(2);
    expect(await waiting('of unknown schools', 1)).toBe(1);
  });

  it('that waits is retried at once when data of a known school is loaded, and nothing else is', async () => {
    const now = START + HOUR;
    await importSchool();
    const leased = await add();
    await store.outbox.claim({ channel: 'mark', owner: 'w', limit: 1, now: START, leaseUntil: START + 1 });
    const waiting = await add({ notBefore: now + 1 });
    const due = await add({ notBefore: now - 1 });
    const push = await add({ channel: 'push', notBefore: now + 1 });
    const elsewhere = await add({ school: B, notBefore: now + 1 });
    const raw = openEngine({ url: database.url });
    await raw.write((connection) => wakeMarkRequests(connection.kysely, connection.engine, now));
    await raw.close();
    const messages = await listMessages(store, 9);
    const dueAt = Object.fromEntries(messages.map(({ id, nextAttemptAt }) => [id, nextAttemptAt]));
    expect(dueAt).toEqual({
      [leased]: START,
      [waiting]: now,
      [due]: now - 1,
      [push]: now + 1,
      [elsewhere]: now + 1,
    });
  });
});
