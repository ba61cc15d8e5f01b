import type { UsageCount } from '../../../src/features/usage/daily-usage';
import { SmsPrices } from '../../../src/features/usage/sms-prices';
import { usageOfMonth } from '../../../src/features/usage/usage-report';
import { Calendar } from '../../../src/support/calendar';

const CALENDAR = new Calendar('Europe/Istanbul');
const NO_PRICES = new SmsPrices({ countries: {} });
const CODE: UsageCount = {
  channel: 'sms',
  state: 'sent',
  country: 'TR',
  gateway: 'netgsm',
  name: '',
  messages: 1,
  parts: 2,
};

describe('the usage of a month', () => {
  it.each([
    ['2026-02', 28],
    ['2028-02', 29],
    ['2026-04', 30],
    ['2026-11', 30],
    ['2026-12', 31],
    ['2026-01', 31],
  ])('%s is the sum of its %d days, each once', async (month, days) => {
    const asked: string[] = [];
    const report = await usageOfMonth(
      {
        ofDay: (_calendar, day) => {
          asked.push(day);
          return Promise.resolve([CODE]);
        },
      },
      { month, by: 'day', calendar: CALENDAR, prices: NO_PRICES },
    );
    const expected = Array.from({ length: days }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`);
    expect(asked).toEqual(expected);
    expect(report.lines.map(({ name }) => name)).toEqual(expected);
    expect(report.total).toMatchObject({ messages: days, parts: 2 * days, unpricedParts: 2 * days });
  });

  it.each([
    ['', ''],
    ['TR', 'TR'],
    ['+90', 'TR'],
    ['+870', '+870'], // satellites
    ['+44', '+44'], // of several countries
    ['+15', ''],
    ['+35', ''], // of Portugal, Ireland and others
  ])('counts the stored prefix %j for the country %j', async (country, name) => {
    const usage = { ofDay: () => Promise.resolve([{ ...CODE, country }]) };
    const report = await usageOfMonth(usage, {
      month: '2026-02',
      by: 'country',
      calendar: CALENDAR,
      prices: NO_PRICES,
    });
    expect(report.lines.map((line) => line.name)).toEqual([name]);
  });
});
