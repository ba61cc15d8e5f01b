import { join } from 'node:path';

import { writeSchool } from '../../scripts/harness';
import type { MessageChannel, Store } from '../../src/store';
import { REMOVAL_STEP } from '../../src/store/outbox/removal';
import { SMALL_SCHOOL } from '../harness/small-school';
import { ENGINES, useDatabase } from '../harness/test-databases';
import { Calendar } from '../../src/support/calendar';

const SCHOOL = 'http://a.example';
const PHONE = '+905551112233';
const SAME_END = '+915551112233';
const HOUR = 3_600_000;
const NOW = Date.parse('2026-03-02T10:00:00Z');
const NOTHING = { students: 0, devices: 0, messages: 0, cancelled: 0, refused: 0, sending: 0 };

describe.each(ENGINES)('forgetting a person on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
    await store.importFolder(writeSchool(join(database.folder, 'csv'), SMALL_SCHOOL));
  });

  const forget = (subject: Parameters<Store['forget']>[0], dryRun = false) =>
    store.forget(subject, { dryRun, now: NOW, calendar: new Calendar('UTC') });
  const enqueue = (channel: MessageChannel, recipient: string) =>
    store.messages.enqueue({
      ...{ channel, recipient, school: SCHOOL, payload: { code: '84021' }, dedupeKey: null },
      ...{ createdAt: NOW, expiresAt: NOW + HOUR },
    });
  const refuse = (phone: string, reason: 'cool_down' | 'day', times: number) =>
    store.write(({ refusals }) =>
      refusals.record([{ phone, reason, times, bound: 1, firstAt: NOW, lastAt: NOW }]),
    );
  const erasures = async () =>
    (await store.write((transaction) => transaction.erasures.take())).map(({ removed }) => removed);
  const recipients = async () =>
    (await store.deliveries.list({}, 99)).map(({ recipient }) => recipient).toSorted();

  it('counts the refused codes of a phone, and records that they were removed', async () => {
    await refuse(PHONE, 'cool_down', 3);
    await refuse(PHONE, 'day', 2);
    await refuse(SAME_END, 'day', 7);
    const found = { ...NOTHING, refused: 5 };
    expect(await forget({ phone: PHONE }, true)).toEqual(found);
    expect(await erasures()).toEqual([]);
    expect(await forget({ phone: PHONE })).toEqual(found);
    expect(await erasures()).toMatchObject([{ refused: 5 }]);
    expect(await forget({ phone: PHONE })).toEqual(NOTHING);
    expect(await forget({ phone: SAME_END }, true)).toEqual({ ...NOTHING, refused: 7 });
  });

  it('leaves codes to a number with the same end', async () => {
    for (const phone of [PHONE, SAME_END]) await enqueue('sms', phone);
    expect(await forget({ phone: PHONE })).toEqual({ ...NOTHING, messages: 1, cancelled: 1 });
    expect(await recipients()).toEqual([SAME_END]);
  });

  it('deletes nothing of a student in a dry run', async () => {
    await enqueue('push', 'D2');
    const found = { ...NOTHING, students: 1, devices: 2, messages: 1, cancelled: 1 };
    expect(await forget({ school: SCHOOL, student: 'S1' }, true)).toEqual(found);
    expect(await erasures()).toEqual([]);
    const students = (await store.students.ofSchool(SCHOOL, 'Y')).map(({ id }) => id);
    expect(students).toEqual(['S1', 'S2']);
    expect(await store.devices.tokenOf('D2')).toBe('token-2');
    expect(await forget({ school: SCHOOL, student: 'S1' })).toEqual(found);
    // Neither is remembered from before.
    expect((await store.students.ofSchool(SCHOOL, 'Y')).map(({ id }) => id)).toEqual(['S2']);
    expect(await store.devices.tokenOf('D2')).toBe('');
    expect(await erasures()).toMatchObject([{ students: 1, devices: 2 }]);
  });

  it('deletes the messages to a device that is no longer stored', async () => {
    for (const device of ['D-gone', 'D3']) await enqueue('push', device);
    expect(await forget({ device: 'D-gone' })).toEqual({ ...NOTHING, messages: 1, cancelled: 1 });
    expect(await erasures()).toMatchObject([{ devices: 0, messages: 1 }]);
    expect(await recipients()).toEqual(['D3']);
  });

  it('finds nothing of an unknown student', async () => {
    await enqueue('push', 'D3');
    expect(await forget({ school: SCHOOL, student: 'S9' })).toEqual(NOTHING);
    expect(await erasures()).toEqual([]);
    expect(await recipients()).toEqual(['D3']);
  });

  it('deletes more messages than fit into one step', async () => {
    const messages = 2 * REMOVAL_STEP + 1;
    await Promise.all(Array.from({ length: messages }, () => enqueue('push', 'D3')));
    expect(await forget({ device: 'D3' })).toEqual({
      ...NOTHING,
      devices: 1,
      messages,
      cancelled: messages,
    });
    expect(await recipients()).toEqual([]);
  });
});
