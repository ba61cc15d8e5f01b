import timers from 'node:timers/promises';

import { DayCounts, MonthUsage } from '../../../src/features/usage/month-usage';
import { readSettings } from '../../../src/config';
import { DeliveryFileInUse } from '../../../src/delivery/wording';
import { Calendar } from '../../../src/support/calendar';

const HOUR = 60 * 60_000;

describe('daily counts', () => {
  let now = Date.parse('2026-03-10T12:00:00Z');
  let asked: string[] = [];
  let fails = false;
  const calendar = new Calendar('UTC');
  const counts = new DayCounts(
    {
      ofDay: (_calendar, day) => {
        asked.push(day);
        return fails ? Promise.reject(new Error('no')) : Promise.resolve([]);
      },
    },
    () => now,
  );
  const ask = async (...days: readonly string[]): Promise<readonly string[]> => {
    asked = [];
    for (const day of days) await counts.ofDay(calendar, day, 'school');
    return asked;
  };

  it('are read once an hour, and those of today and yesterday once a minute', async () => {
    const days = ['2026-03-08', '2026-03-09', '2026-03-10'];
    expect(await ask(...days, ...days)).toEqual(days);
    now += 61_000;
    expect(await ask(...days)).toEqual(['2026-03-09', '2026-03-10']);
    now += HOUR;
    expect(await ask(...days)).toEqual(days);
  });

  it('are kept apart by what they are grouped by', async () => {
    asked = [];
    for (const name of ['school', 'caller', 'nothing', 'school'] as const)
      await counts.ofDay(calendar, '2026-03-06', name);
    expect(asked).toHaveLength(3);
  });

  it('are read again at once after a failure', async () => {
    fails = true;
    await expect(ask('2026-03-07')).rejects.toThrow('no');
    fails = false;
    expect(await ask('2026-03-07')).toEqual(['2026-03-07']);
  });

  it('are dropped from memory when there are too many', async () => {
    const days = Array.from({ length: 210 }, (_, at) =>
      new Date(now - (at + 2) * 24 * HOUR).toISOString().slice(0, 10),
    );
    await ask(...days);
    const [first = '', last = ''] = [days[0], days.at(-1)];
    expect(await ask(last, first)).toEqual([first]);
  });
});

it('keeps the reports of two years for pages that do not wait', async () => {
  let now = Date.parse('2026-03-10T12:00:00Z');
  let ofDay = (): Promise<readonly []> => Promise.resolve([]);
  const { config } = readSettings({}, '');
  const usage = new MonthUsage(
    { ofDay: () => ofDay() },
    config,
    new DeliveryFileInUse(config),
    () => now,
    60_000,
  );
  const months = Array.from(
    { length: 25 },
    (_, at) => `${String(2000 + Math.floor(at / 12))}-${String((at % 12) + 1).padStart(2, '0')}`,
  );
  for (const month of months) expect(await usage.soon(month, 'school')).toBeDefined();
  ofDay = () => new Promise<never>(() => undefined);
  now += HOUR + 1;
  const waits = jest.spyOn(timers, 'setTimeout').mockResolvedValue(undefined);
  try {
    expect(await usage.soon(months[1] ?? '', 'school')).toBeDefined();
    expect(await usage.soon(months[0] ?? '', 'school')).toBeUndefined();
  } finally {
    waits.mockRestore();
  }
});

it('keeps a page waiting for a moment only, and has the counts for the next one', async () => {
  let now = Date.parse('2026-03-10T12:00:00Z');
  let answer: (counts: readonly []) => void = () => undefined;
  const counting = new Promise<readonly []>((resolve) => (answer = resolve));
  let ofDay = (): Promise<readonly []> => counting;
  const { config } = readSettings({}, '');
  const usage = new MonthUsage(
    { ofDay: () => ofDay() },
    config,
    new DeliveryFileInUse(config),
    () => now,
    20,
  );
  expect(await usage.soon('2026-03', 'school')).toBeUndefined();
  answer([]);
  const report = await usage.report('2026-03', 'school');
  expect(report.total.messages).toBe(0);
  expect(await usage.soon('2026-03', 'school')).toEqual(report);
  ofDay = () => new Promise<never>(() => undefined);
  now += HOUR + 1;
  expect(await usage.soon('2026-03', 'school')).toEqual(report);
  expect(await usage.soon('2026-02', 'school')).toBeUndefined();
  expect(await usage.soon('2026-03', 'day')).toBeUndefined();
});

it('counts by the months and days of TIME_ZONE', async () => {
  const { config } = readSettings({ TIME_ZONE: 'America/New_York' }, '');
  const midnight = Date.parse('2026-03-01T05:00:00Z');
  const starts: number[] = [];
  const ofDay = (calendar: Calendar, day: string): Promise<readonly []> => {
    starts.push(calendar.startOf(day));
    return Promise.resolve([]);
  };
  const usage = new MonthUsage({ ofDay }, config, new DeliveryFileInUse(config), () => midnight, 60_000);
  expect([usage.monthOf(midnight - 1), usage.monthOf(midnight)]).toEqual(['2026-02', '2026-03']);
  await usage.report('2026-03', 'day');
  expect(starts[0]).toBe(midnight);
});
