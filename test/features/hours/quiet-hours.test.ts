import { QuietHoursCalendar } from '../../../src/features/hours/quiet-hours';

const NIGHT = { from: 22 * 60, until: 7 * 60 };

function notBefore(time: string, timeZone: string, quiet = NIGHT): string {
  const end = new QuietHoursCalendar().notBefore(quiet, timeZone, Date.parse(time));
  return new Date(end).toISOString();
}

describe('quiet hours', () => {
  it.each([
    ['before they begin', '2026-03-02T18:59:59.999Z', '2026-03-02T18:59:59.999Z'],
    ['when they begin', '2026-03-02T19:00:00.000Z', '2026-03-03T04:00:00.000Z'],
    ['after midnight', '2026-03-03T03:59:59.999Z', '2026-03-03T04:00:00.000Z'],
    ['when they end', '2026-03-03T04:00:00.000Z', '2026-03-03T04:00:00.000Z'],
  ])('follow the clock of the school: %s', (_what, time, expected) => {
    expect(notBefore(time, 'Europe/Istanbul')).toBe(expected);
  });

  it.each([
    ['goes forward that night', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
    ['goes forward the next night', '2026-03-29T22:00:00Z', '2026-03-30T05:00:00.000Z'],
    ['goes back that night', '2026-10-24T22:00:00Z', '2026-10-25T06:00:00.000Z'],
    ['went back the night before', '2026-10-25T22:00:00Z', '2026-10-26T06:00:00.000Z'],
  ])('end at seven when the clock %s', (_what, time, expected) => {
    expect(notBefore(time, 'Europe/Berlin')).toBe(expected);
  });

  it('end at the clock change if their end falls into the skipped hour', () => {
    const until = { from: 22 * 60, until: 2 * 60 + 30 };
    expect(notBefore('2026-03-29T00:59:00Z', 'Europe/Berlin', until)).toBe('2026-03-29T01:00:00.000Z');
  });

  it('may lie within a day, and in a time zone with a half-hour offset', () => {
    const noon = { from: 12 * 60, until: 14 * 60 };
    expect(notBefore('2026-03-02T06:45:00Z', 'Asia/Kolkata', noon)).toBe('2026-03-02T08:30:00.000Z');
    expect(notBefore('2026-03-02T08:45:00Z', 'Asia/Kolkata', noon)).toBe('2026-03-02T08:45:00.000Z');
    expect(notBefore('2026-03-02T06:30:00Z', 'Asia/Kolkata', noon)).toBe('2026-03-02T08:30:00.000Z');
    expect(notBefore('2026-03-02T06:29:59Z', 'Asia/Kolkata', noon)).toBe('2026-03-02T06:29:59.000Z');
  });

  it('are reused for the next message', () => {
    const calendar = new QuietHoursCalendar();
    const end = Date.parse('2026-03-03T07:00:00Z');
    for (const time of ['2026-03-02T23:00:00Z', '2026-03-03T06:59:00Z', '2026-03-02T22:30:00Z']) {
      expect(calendar.notBefore(NIGHT, 'UTC', Date.parse(time))).toBe(end);
    }
    for (const awake of [end, end + 1, Date.parse('2026-03-02T21:00:00Z')]) {
      expect(calendar.notBefore(NIGHT, 'UTC', awake)).toBe(awake);
    }
  });

  it('are kept apart for schools with another time zone or other hours', () => {
    const calendar = new QuietHoursCalendar();
    const midnight = Date.parse('2026-03-03T00:00:00Z');
    const hours = (quiet: typeof NIGHT, timeZone: string): number =>
      (calendar.notBefore(quiet, timeZone, midnight) - midnight) / 3_600_000;
    expect(hours(NIGHT, 'UTC')).toBe(7);
    expect(hours(NIGHT, 'Europe/Istanbul')).toBe(4);
    expect(hours({ ...NIGHT, until: 6 * 60 }, 'UTC')).toBe(6);
    expect(hours({ from: 60, until: 7 * 60 }, 'UTC')).toBe(0);
  });
});
