import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { eraseExpired } from '../../../src/delivery/policy/old-messages';
import { codeAcceptance } from '../../../src/delivery/policy/accept-code';
import type { MessageState, Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages, type Message } from '../../harness/list-messages';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.parse('2026-03-02T10:00:00Z');
const PHONE = '+905551112233';
const CODE = '84021-secret';
const LIMITS = { repeatMs: MINUTE, coolDownMs: 0, perTenMinutes: 5, perDay: 20, perDayOverall: 0 };

describe.each(ENGINES)('erasing on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
  });

  const sendCode = (phone = PHONE) =>
    codeAcceptance(
      store,
      { limits: LIMITS, countries: undefined },
      () => undefined,
    )({ code: CODE, phone, createdAt: START, expiresAt: START + 5 * MINUTE });
  const sendMarks = () =>
    store.messages.enqueue({
      ...{ channel: 'mark', recipient: '1A', school: 'http://a.example', payload: { note: 'N1' } },
      ...{ createdAt: START, expiresAt: START + 24 * HOUR, dedupeKey: 'abcdef' },
    });
  async function settle(channel: 'sms' | 'mark', state: MessageState & ('sent' | 'failed')): Promise<void> {
    const claim = { channel, owner: 'w', limit: 100, now: START, leaseUntil: START + 1 } as const;
    for (const { id, leaseUntil } of await store.outbox.claim(claim)) {
      await store.outbox.settle({
        ...{ id, owner: 'w', leaseUntil, state, nextAttemptAt: START, attempted: true, now: START },
        ...{ erase: state === 'sent' && channel === 'sms', providerId: null, reason: null },
      });
    }
  }
  const message = async (): Promise<Message | undefined> => (await listMessages(store, 1))[0];
  const erase = (afterMs: number, repeatMs = 0) => eraseExpired(store, repeatMs, START + afterMs);

  it('erases a failed code when it expires: until then it can be retried', async () => {
    await sendCode();
    await settle('sms', 'failed');
    await erase(5 * MINUTE - 1);
    expect(await message()).toMatchObject({ payload: { code: CODE } });
    await erase(5 * MINUTE);
    expect(await message()).toMatchObject({ payload: null, dedupeKey: expect.any(String) as string });
  });

  it('erases the digest of a code, which reveals the code, when its window is over', async () => {
    await sendCode();
    await settle('sms', 'sent');
    await erase(10 * MINUTE - 1, 24 * HOUR);
    expect((await message())?.dedupeKey).toMatch(/^[0-9a-f]{64}$/);
    await erase(10 * MINUTE, 24 * HOUR);
    expect(await message()).toMatchObject({ recipient: PHONE, payload: null, dedupeKey: null });
  });

  it('masks a phone number once the limits no longer need it, and keeps the message', async () => {
    for (let at = 0; at < 250; at += 1) await sendCode(`+90555${String(1_000_000 + at)}`);
    await settle('sms', 'sent');
    await settle('sms', 'sent');
    await settle('sms', 'sent');
    await erase(24 * HOUR - 1);
    expect((await message())?.recipient).toMatch(/^\+90555\d{7}$/);
    await erase(24 * HOUR);
    const left = await store.deliveries.list({}, 1000);
    expect(left.every(({ recipient, state }) => /^\+90\.\.\.\d\d$/.test(recipient) && state === 'sent')).toBe(
      true,
    );
    expect(left).toHaveLength(250);
  });

  it('leaves a code that has yet to be sent', async () => {
    await sendCode();
    await erase(25 * HOUR);
    expect(await message()).toMatchObject({ recipient: PHONE, payload: { code: CODE } });
  });

  it('leaves a code that is being sent or is retried', async () => {
    const enqueue = (recipient: string) =>
      store.messages.enqueue({
        ...{ channel: 'sms', recipient, school: '', payload: { code: CODE }, dedupeKey: null },
        ...{ createdAt: START, expiresAt: START + 5 * MINUTE },
      });
    for (const end of ['0', '1', '2']) await enqueue(PHONE.slice(0, -1) + end);
    await settle('sms', 'failed');
    await enqueue(PHONE);
    const claim = { channel: 'sms', owner: 'w', limit: 1, now: START, leaseUntil: START + 1 } as const;
    expect(await store.outbox.claim(claim)).toMatchObject([{ recipient: PHONE }]);
    const masked = await store.write(({ retention }) =>
      retention.maskPhones(START + HOUR, 100, () => '+90...33'),
    );
    expect(masked).toBe(3);
    const left = (await store.deliveries.list({}, 9)).map(({ recipient, state }) => [recipient, state]);
    expect(left).toEqual([[PHONE, 'sending'], ...Array.from({ length: 3 }, () => ['+90...33', 'failed'])]);
  });

  it('erases the key of a request for a class once no repetition can be waiting', async () => {
    await sendMarks();
    await settle('mark', 'sent');
    // One that came within the window may have waited for a day, while no worker ran.
    await erase(24 * HOUR + 10 * MINUTE, 10 * MINUTE);
    expect(await message()).toMatchObject({ dedupeKey: 'abcdef' });
    await erase(24 * HOUR + 10 * MINUTE + 1, 10 * MINUTE);
    expect(await message()).toMatchObject({ dedupeKey: null, payload: { note: 'N1' }, recipient: '1A' });
  });

  if (engine === 'sqlite') {
    it('leaves no trace in the file', async () => {
      await sendCode();
      const digest = (await message())?.dedupeKey ?? '';
      await settle('sms', 'sent');
      await erase(24 * HOUR);
      await store.close();
      const file = readFileSync(join(database.folder, 'service.db'), 'latin1');
      expect(file).toContain('+90');
      for (const secret of [CODE, digest, PHONE]) expect(file.includes(secret)).toBe(false);
    });
  }
});
