import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Engine } from '../../../src/store/engine/engine';
import { DailyUsage, type UsageCount, type UsageName } from '../../../src/features/usage/daily-usage';
import type { MessageState, NewMessage, Store } from '../../../src/store';
import { firstMessageId, Messages } from '../../../src/store/outbox/messages';
import { removeMessages } from '../../../src/store/outbox/removal';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { listMessages } from '../../harness/list-messages';
import { Calendar, dayAfter } from '../../../src/support/calendar';

const CALENDAR = new Calendar('Europe/Istanbul');
const [DAY, NEXT_DAY] = ['2026-11-29', '2026-11-30'];
const BEGIN = CALENDAR.startOf(DAY);
const HOUR = 3_600_000;
/** PostgreSQL compresses what repeats itself. */
const LONG_SCHOOL = `https://${Array.from({ length: 900 }, (_, at) => (at * 7919).toString(36)).join('')}.example`;

interface Made extends Pick<NewMessage, 'channel' | 'createdAt' | 'caller' | 'country'> {
  readonly school: string;
  readonly state: MessageState;
  readonly parts: number | null;
  readonly recipient?: string;
  readonly gateway?: string | null;
}

/** All kinds, from the first to the last millisecond of two days. */
const MESSAGES: readonly Made[] = Array.from({ length: 240 }, (_, at) => {
  const channel = (['sms', 'push', 'mark'] as const)[at % 3] ?? 'sms';
  const state = (['sent', 'failed', 'queued', 'expired', 'sent'] as const)[at % 5] ?? 'sent';
  const isCode = channel === 'sms';
  return {
    channel,
    state,
    createdAt: BEGIN + Math.round((at * (48 * HOUR - 1)) / 239),
    caller: ['app', undefined, 'panel'][at % 4],
    school: isCode
      ? ''
      : (['http://a.example', 'http://b.example', LONG_SCHOOL][at % 7] ?? 'http://c.example'),
    ...(isCode && { country: ['TR', 'DE', '', '+870'][at % 8] ?? 'TR' }),
    gateway: isCode ? (['netgsm', 'twilio', 'netgsm!', null][at % 4] ?? null) : null,
    parts: isCode && state === 'sent' ? 1 + (at % 4) : null,
  };
});

/** As the store would count them. */
function counted(messages: readonly Made[], day: string, by: UsageName): readonly UsageCount[] {
  const counts = new Map<string, UsageCount>();
  for (const { channel, state, country = '', caller = '', school, parts, createdAt, ...rest } of messages) {
    if (CALENDAR.dayOf(createdAt) !== day) continue;
    const gateway = rest.gateway?.replace('!', '') ?? '';
    const name = { school, caller, nothing: '' }[by];
    const key = JSON.stringify([channel, state, country, gateway, name]);
    const { messages: before, parts: partsBefore } = counts.get(key) ?? { messages: 0, parts: 0 };
    const sums = { messages: before + 1, parts: partsBefore + (parts ?? 0) };
    counts.set(key, { channel, state, country, gateway, name, ...sums });
  }
  return [...counts.values()];
}

describe.each(ENGINES)('the daily usage on %s', (engineName) => {
  const database = useDatabase(engineName);
  let engine: Engine;
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
    engine = database.engine();
  });

  /** With ids of their times, which the store does not give out twice. */
  const make = (messages: readonly Made[]): Promise<readonly string[]> =>
    engine.write(async (connection) => {
      const ids: string[] = [];
      for (const { state, parts, gateway = null, ...message } of messages) {
        const given = await new Messages(connection).enqueue({
          ...{ recipient: '+905551112233', payload: {}, dedupeKey: null, expiresAt: message.createdAt },
          ...message,
        });
        const id = firstMessageId(message.createdAt) + given.slice(13);
        ids.push(id);
        const change = connection.kysely.updateTable('messages').set({ id, state, parts, gateway });
        await change.where('id', '=', given).execute();
      }
      return ids;
    });

  const remove = (ids: readonly string[]): Promise<number> =>
    engine.write((connection) => removeMessages(connection, ids, CALENDAR));

  async function expectCounts(messages: readonly Made[]): Promise<void> {
    for (const day of [DAY, NEXT_DAY, dayAfter(NEXT_DAY)]) {
      for (const by of ['school', 'caller', 'nothing'] as const) {
        const usage = await store.repository(DailyUsage).ofDay(CALENDAR, day, by);
        const wanted = counted(messages, day, by);
        expect(usage).toHaveLength(wanted.length);
        expect(usage).toEqual(expect.arrayContaining([...wanted]));
      }
    }
  }

  it('matches the messages, and stays the same while they are removed', async () => {
    const ids = await make(MESSAGES);
    await expectCounts(MESSAGES);

    expect(await remove(ids.filter((_, at) => at % 3 !== 1))).toBe(160);
    await expectCounts(MESSAGES);
    expect(await remove(ids)).toBe(80); // Those that are gone count once.
    await expectCounts(MESSAGES);
    expect(await listMessages(store, 1)).toEqual([]);
    // One row for all that are alike, whenever they went.
    const kept = await engine.session(({ kysely }) =>
      kysely.selectFrom('daily_usage').select('messages').execute(),
    );
    const alike = MESSAGES.map(({ channel, state, country, gateway, caller, school, createdAt }) =>
      JSON.stringify([
        CALENDAR.dayOf(createdAt),
        channel,
        state,
        country ?? '',
        gateway?.replace('!', ''),
        caller,
        school,
      ]),
    );
    expect(kept).toHaveLength(new Set(alike).size);

    await make(MESSAGES.slice(0, 30));
    await expectCounts([...MESSAGES, ...MESSAGES.slice(0, 30)]);
  });

  it.each([
    ['2026-03-29', 23],
    ['2026-10-25', 25],
  ])('counts each hour of %s once: %d hours in Berlin', async (day, hours) => {
    const berlin = new Calendar('Europe/Berlin');
    const begin = berlin.startOf(day);
    // One on the last moment of the day before, one at each half hour of the day, one on the first of the day after.
    const times = [-1, ...Array.from({ length: hours }, (_, hour) => (hour + 0.5) * HOUR), hours * HOUR];
    const ids = await make(
      times.map((time) => ({
        ...{ channel: 'push', school: '', state: 'sent', parts: null },
        createdAt: begin + time,
      })),
    );
    const days = [berlin.dayOf(begin - 1), day, dayAfter(day)];
    const counts = () =>
      Promise.all(
        days.map(async (each) => {
          const usage = await store.repository(DailyUsage).ofDay(berlin, each, 'nothing');
          return usage.reduce((sum, { messages }) => sum + messages, 0);
        }),
      );
    expect(await counts()).toEqual([1, hours, 1]);
    await engine.write((connection) => removeMessages(connection, ids, berlin));
    expect(await counts()).toEqual([1, hours, 1]);
  });

  it('neither loses nor doubles a message when a removal is rolled back', async () => {
    const ids = await make(MESSAGES.slice(0, 30));
    const failing = engine.write(async (connection) => {
      await removeMessages(connection, ids, CALENDAR);
      throw new Error('Killed');
    });
    await expect(failing).rejects.toThrow('Killed');
    await expectCounts(MESSAGES.slice(0, 30));
  });

  it('counts messages removed by several processes at once only once', async () => {
    const ids = await make(MESSAGES.slice(0, 60));
    const removed = await Promise.all([remove(ids), remove(ids.toReversed()), remove(ids.slice(20, 40))]);
    expect(removed.reduce((sum, each) => sum + each)).toBe(60);
    await expectCounts(MESSAGES.slice(0, 60));
  });

  it('counts each message once while messages are removed', async () => {
    const ids = await make(MESSAGES);
    const removals = (async () => {
      for (const id of ids) await remove([id]);
      return true;
    })();
    const sums: number[] = [];
    let isOver = false;
    while (!isOver) {
      const usage = await store.repository(DailyUsage).ofDay(CALENDAR, DAY, 'nothing');
      sums.push(usage.reduce((sum, { messages }) => sum + messages, 0));
      isOver = await Promise.race([removals, nextTurn(false)]);
    }
    expect(new Set(sums)).toEqual(new Set([120]));
  });

  it('recognizes the prefix of numbers from before countries were stored', async () => {
    const old = {
      channel: 'sms',
      school: '',
      state: 'queued',
      createdAt: BEGIN,
      caller: 'app',
      parts: 0,
    } as const;
    const ids = await make(
      ['+905551112233', '+90...33', '...33', '05551112233'].map((recipient) => ({ ...old, recipient })),
    );
    const code = { channel: 'sms', state: 'queued', gateway: '', name: '', parts: 0 };
    const wanted = [
      { ...code, country: '', messages: 2 },
      { ...code, country: '+90', messages: 2 },
    ];
    expect(await store.repository(DailyUsage).ofDay(CALENDAR, DAY, 'nothing')).toEqual(wanted);
    await remove(ids);
    expect(await store.repository(DailyUsage).ofDay(CALENDAR, DAY, 'nothing')).toEqual(wanted);
  });
});
