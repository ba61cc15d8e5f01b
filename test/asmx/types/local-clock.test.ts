// The wire contract, section 5: times with an offset become the machine's own.

import { DateTime } from '../../../src/asmx/contract/date-time';
import {
  type LocalClock,
  localClock,
  localNow,
  toLocal,
  toLocalWithin,
} from '../../../src/asmx/types/local-clock';

const MIN = DateTime.MIN.wallTime;
const MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A clock that is always this many minutes ahead. */
function ahead(minutes: number): LocalClock {
  return { now: () => 0, offsetAt: () => minutes };
}

describe('the clock of a time zone', () => {
  it.each([
    ['Etc/UTC', '2026-07-01T12:00:00Z', 0],
    ['Europe/Istanbul', '2026-07-01T12:00:00Z', 180],
    ['Asia/Kolkata', '2026-07-01T12:00:00Z', 330],
    ['America/New_York', '2026-07-01T12:00:00Z', -240],
    ['America/New_York', '2026-12-01T12:00:00Z', -300],
    ['America/St_Johns', '2026-12-01T12:00:00Z', -210],
    // An hour, 56 minutes and 56 seconds: rounded to minutes.
    ['Europe/Istanbul', '1904-11-22T00:00:00Z', 117],
    // Two hours, 19 minutes and 36 seconds behind.
    ['America/Recife', '1904-11-22T00:00:00Z', -140],
  ])('of %s is ahead of universal time at %s by %d minutes', (zone, moment, minutes) => {
    expect(localClock(zone).offsetAt(Date.parse(moment))).toBe(minutes);
  });

  it('is that of the process if no zone is named', () => {
    const offset = jest.spyOn(Date.prototype, 'getTimezoneOffset').mockReturnValue(-180);
    try {
      expect(localClock().offsetAt(0)).toBe(180);
    } finally {
      offset.mockRestore();
    }
  });

  it('shows the local time', () => {
    expect(localNow({ now: () => 1e12, offsetAt: (moment) => moment / 1e12 + 89 })).toBe(1e12 + 90 * 60_000);
  });
});

describe('a time in another zone', () => {
  it('keeps its point in time and its ticks', () => {
    expect(String(toLocal(Date.UTC(2026, 10, 22, 8, 30), 1234, 300, ahead(180)))).toBe(
      '2026-11-22T06:30:00.0001234+03:00',
    );
  });

  it.each([
    ['the first moment', MIN, 0, 0],
    ['the last moment', MAX, 0, 0],
  ])('may be %s in .NET’s range', (_which, wallTime, offset, zone) => {
    expect(toLocal(wallTime, 0, offset, ahead(zone))?.wallTime).toBe(wallTime);
  });

  it.each([
    ['before the first moment', MIN, 1, 1],
    ['after the last moment', MAX, -1, -1],
    ['before the first moment of the local clock', MIN, 0, -1],
    ['after the last moment of the local clock', MAX, 0, 1],
  ])('is outside .NET’s range: %s', (_which, wallTime, offset, zone) => {
    expect(toLocal(wallTime, 0, offset, ahead(zone))).toBeUndefined();
  });

  it('is moved to the nearest time in .NET’s range if outside it', () => {
    expect(toLocalWithin(MIN, 5, 1, ahead(60))).toEqual(new DateTime(MIN, 0, 60));
    expect(toLocalWithin(MAX, 5, -1, ahead(60))).toEqual(new DateTime(MAX, 9999, 60));
  });
});
