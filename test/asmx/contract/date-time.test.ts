// The wire contract, section 5: the calendar, and the form in which a date and time is written.

import { DateTime, isDate } from '../../../src/asmx/contract/date-time';

describe('DateTime', () => {
  it.each([
    '2026-11-22T08:30:00',
    '0001-01-01T00:00:00',
    '9999-12-31T23:59:59.9999999Z',
    '2026-11-22T08:30:00.12-05:30',
    '2026-11-22T08:30:00.0000001+14:00',
  ])('is written exactly as read: %s', (text) => {
    expect(String(DateTime.parse(text))).toBe(text);
  });

  it.each([
    '2026-11-22',
    '2026-02-29T00:00:00',
    '2026-11-22T24:00:00',
    '2026-11-22T23:60:00',
    '2026-11-22T23:59:60',
    'x',
    'x2026-11-22T08:30:00',
    '2026-11-22T08:30:00x',
    '2026-11-22T08:30:00.',
    '2026-11-22T08:30:00.12345678',
    '2026-11-22T08:30:00z',
    '2026-11-22T08:30:00+3:00',
    '2026-11-22T08:30:00Z+03:00',
  ])('cannot be read from %j', (text) => {
    expect(() => DateTime.parse(text)).toThrow(
      new RangeError(`Not a date and time such as 2026-11-22T08:30:00: ${text}`),
    );
  });

  it('with a time zone is a point in time', () => {
    const moment = new Date('2026-11-22T05:30:00Z');
    expect(DateTime.parse('2026-11-22T08:30:00+03:00').toDate()).toEqual(moment);
    expect(DateTime.parse('2026-11-22T05:30:00').toDate()).toEqual(moment);
    expect(DateTime.parse('2026-11-22T05:30:00Z').toDate()).toEqual(moment);
    expect(String(DateTime.utc(moment))).toBe('2026-11-22T05:30:00Z');
  });
});

describe('a calendar', () => {
  it.each([
    [1, 1, 1],
    [9999, 12, 31],
    [2024, 2, 29],
    [2000, 2, 29],
    [2023, 2, 28],
    [2026, 1, 31],
    [2026, 4, 30],
  ])('has the day %d-%d-%d', (year, month, day) => {
    expect(isDate(year, month, day)).toBe(true);
  });

  it.each([
    [0, 1, 1],
    [10_000, 1, 1],
    [2026, 0, 1],
    [2026, 13, 1],
    [2026, 1, 0],
    [2026, 1, 32],
    [2026, 4, 31],
    [2023, 2, 29],
    [1900, 2, 29],
    [2100, 2, 29],
    [2024, 2, 30],
    [2024, 3, 32],
    [NaN, 1, 1],
    [2026, NaN, 1],
  ])('has no day %d-%d-%d', (year, month, day) => {
    expect(isDate(year, month, day)).toBe(false);
  });
});
