import { SmsPrices } from '../../../src/delivery/sms-prices';
import { Calendar, type UsageCount } from '../../../src/store';
import { usageOfMonth } from '../../../src/admin/reports/usage-report';

const CALENDAR = new Calendar('Europe/Istanbul');

describe('the usage of a month', () => {
  it.each([
    ['2026-02', 28],
    ['2028-02', 29],
    ['2026-04', 30],
    ['2026-11', 30],
    ['2026-12', 31],
    ['2026-01', 31],
  ])('%s is that of its %d days, each once', async (month, days) => {
    const asked: string[] = [];
    const code: UsageCount = {
      channel: 'sms',
      state: 'sent',
      country: 'TR',
      name: '',
      messages: 1,
      parts: 2,
    };
    const report = await usageOfMonth(
      {
        usage: {
          ofDay: (_calendar, day) => {
            asked.push(day);
            return Promise.resolve([code]);
          },
        },
      },
      { month, by: 'day', calendar: CALENDAR, prices: new SmsPrices({ countries: {} }) },
    );
    const expected = Array.from({ length: days }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`);
    expect(asked).toEqual(expected);
    expect(report.lines.map(({ name }) => name)).toEqual(expected);
    expect(report.total).toMatchObject({ messages: days, parts: 2 * days, unpricedParts: 2 * days });
  });
});
