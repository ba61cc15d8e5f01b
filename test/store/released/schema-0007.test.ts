import { join } from 'node:path';

import { Calendar, type MessageState, type Store } from '../../../src/store';
import { ENGINES } from '../../support/test-databases';
import { useReleased } from './use-released';

const SCHOOL = 'https://a.example';
const SECOND = 1000;
const UTC = new Calendar('UTC');
const DAY = 24 * 3_600_000;
/** When the program ended. */
const END = Date.parse('2026-11-19T10:00:02Z');

describe.each(ENGINES)('a database on %s of schema 0007', (engine) => {
  const { database, sms, push, deliver } = useReleased('0007', engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  const records = async (state?: MessageState) =>
    (await store.deliveries.list({ ...(state !== undefined && { state }) }, 100)).toReversed();

  /** Just after the program ended, and before the lease of the worker that was killed is over. */
  const startDelivery = () => deliver(store, END + SECOND);

  it('keeps the school as it was', async () => {
    const students = await store.students.ofSchool(SCHOOL, 'Y');
    expect(students.map(({ id, deviceId }) => [id, deviceId])).toEqual([
      ['S1', 'D1'],
      ['S2', ''],
      ['S4', 'D4'],
    ]);
    expect(await store.devices.tokenOf('D4')).toBe('token-4');
    expect(await store.devices.tokenOf('D2')).toBe('');
    expect(await store.isNew()).toBe(false);
    const { files } = await store.exportFolder(join(database.folder, 'csv'));
    expect(Object.fromEntries(files.map(({ file, rows }) => [file, rows]))).toEqual({
      ...{ 'schools.csv': 2, 'classes.csv': 3, 'students.csv': 5, 'devices.csv': 3 },
      ...{ 'exams.csv': 1, 'exam_entries.csv': 1, 'note_types.csv': 1, 'notes.csv': 2 },
    });
  });

  it('keeps every message with its state, its reason and who asked for it', async () => {
    const unknown = { requestId: null, withoutDevice: null };
    expect(
      (await records()).map(({ channel, state, recipient, reason }) => [channel, state, recipient, reason]),
    ).toEqual([
      ['sms', 'sent', '+90...33', null],
      ['mark', 'sent', '1A', null],
      ['push', 'sent', 'D1', null],
      ['push', 'failed', 'D2', 'The provider answered 404 UNREGISTERED.'],
      ['mark', 'sent', '2C', null],
      ['sms', 'failed', '+905551112244', 'The provider answered 400.'],
      ['mark', 'sent', '1A', null],
      ['push', 'failed', 'D1', 'The provider answered 403 SENDER_ID_MISMATCH.'],
      ['mark', 'suppressed', '1A', 'The same note went to the same class shortly before.'],
      ['sms', 'expired', '+905551112255', null],
      ['mark', 'queued', '1A', 'The note is not known.'],
      ['sms', 'sending', '+905551112266', null],
      ['sms', 'queued', '+491701234567', null],
      ['mark', 'queued', '1B', null],
    ]);
    for (const { caller, requestId, withoutDevice, id } of await records()) {
      expect({ caller, requestId, withoutDevice }).toEqual({
        caller: id === '01' ? null : 'portal',
        ...unknown,
      });
      expect(await store.deliveries.attemptsOf(id)).toEqual([]);
    }
    expect(await store.requestEnds.openAfter('')).toEqual([]);
  });

  it('keeps what counts against the limits', async () => {
    const day = Math.floor(END / DAY);
    expect(await store.sentCodes.ofDay(day)).toEqual([{ caller: 'portal', codes: 4 }]);
    expect(await store.sentCodes.endingLike('05551112266', END - DAY)).toMatchObject([
      { phone: '+905551112266', caller: 'portal', digest: expect.any(String) as string },
    ]);
    expect(await store.codeTraffic.past(day - 14, 1)).toHaveLength(2);
    expect(await store.codeTraffic.heldSince(END)).toMatchObject([
      { area: 'a:GB:7911', caller: 'portal', codes: 30 },
    ]);
    const keys = (await store.messages.list({ limit: 100 })).flatMap(({ channel, dedupeKey, state }) =>
      channel === 'mark' && state === 'sent' && dedupeKey !== null ? [dedupeKey] : [],
    );
    expect(keys).toHaveLength(1);
    const resolved = (since: number) =>
      store.write(({ markRequests }) => markRequests.resolvedSince(keys[0] ?? '', since));
    expect(await resolved(END - 2 * 3_600_000)).toBe(true);
    expect(await resolved(END)).toBe(false);
  });

  it('has what was queued or just being sent delivered, once', async () => {
    const delivery = startDelivery();
    await delivery.line({ channel: 'sms', state: 'sent' });
    const request = await delivery.line({ channel: 'mark', state: 'open' });
    expect(await delivery.ended(request.messageId)).toMatchObject({ state: 'sent', pushes: 1 });
    expect(sms().received.map(({ body }) => body)).toEqual([
      '{"to":"+491701234567","text":"Your code is 555555"}',
    ]);
    delivery.now += 60 * SECOND;
    await delivery.lines(2, { channel: 'sms', state: 'sent' });
    expect(sms().received[1]?.body).toBe('{"to":"+905551112266","text":"Your code is 444444"}');
    expect(push().received.map(({ body }) => body)).toEqual([
      expect.stringContaining('"token":"token-4"') as string,
    ]);

    const [waiting, ...others] = await records('queued');
    expect(waiting).toMatchObject({ channel: 'mark', recipient: '1A', reason: 'The note is not known.' });
    expect(others).toEqual([]);
  });

  it('has what failed tried again', async () => {
    const retry = (channel: 'push' | 'mark' | 'sms') => store.deliveries.retry({ channel }, END);
    // The code's five minutes are over.
    expect([await retry('push'), await retry('mark'), await retry('sms')]).toEqual([2, 1, 0]);
    const delivery = startDelivery();
    expect(await delivery.line({ channel: 'push', state: 'sent', attempt: 1 })).toBeDefined();
  });

  it('is rid of what ended when its time has come', async () => {
    const remove = () => store.write(({ retention }) => retention.removeEnded('', END + 90 * DAY, UTC));
    expect(await remove()).toEqual({ removed: 10, last: undefined });
    expect((await records()).map(({ state }) => state)).toEqual(['queued', 'sending', 'queued', 'queued']);
  });
});
