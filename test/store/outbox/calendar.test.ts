import { Calendar, dayAfter } from '../../../src/support/calendar';

const HOUR = 3_600_000;

describe('a calendar', () => {
  it.each([
    ['UTC', '2026-11-30', '2026-11-30T00:00:00Z', 24],
    ['Europe/Istanbul', '2026-12-01', '2026-11-30T21:00:00Z', 24],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 23],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 25],
    ['Asia/Kathmandu', '2026-01-01', '2025-12-31T18:15:00Z', 24],
    ['America/Sao_Paulo', '2018-11-04', '2018-11-04T03:00:00Z', 23], // It has no midnight.
    ['Pacific/Kiritimati', '2026-06-01', '2026-05-31T10:00:00Z', 24],
    ['Pacific/Pago_Pago', '2026-06-01', '2026-06-01T11:00:00Z', 24],
  ])('in %s begins %s at %s, for %d hours', (zone, day, begin, hours) => {
    const calendar = new Calendar(zone);
    expect(new Date(calendar.startOf(day))).toEqual(new Date(begin));
    expect(calendar.startOf(dayAfter(day)) - calendar.startOf(day)).toBe(hours * HOUR);
    expect(calendar.dayOf(Date.parse(begin))).toBe(day);
    expect(dayAfter(calendar.dayOf(Date.parse(begin) - 1))).toBe(day);
  });

  it('finds the day after the last one of a month', () => {
    expect(['2026-02-28', '2028-02-28', '2026-12-31'].map(dayAfter)).toEqual([
      '2026-03-01',
      '2028-02-29',
      '2027-01-01',
    ]);
  });
});
