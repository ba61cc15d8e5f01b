import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { loadConfig } from '../../../src/config';
import { WordingInUse } from '../../../src/delivery/wording';
import { useFolderPerTest } from '../../harness/use-folder';

const SCHOOL = 'http://a.example';
const TEN = Date.parse('2026-03-02T10:00:00Z');

const folder = useFolderPerTest();
function config(school: Readonly<Record<string, string>>, settings: Readonly<Record<string, string>> = {}) {
  const path = join(folder(), 'delivery.json');
  writeFileSync(path, JSON.stringify({ schools: { [SCHOOL]: school } }));
  return loadConfig({ DELIVERY_FILE: path, ...settings });
}

describe('the quiet hours of a school in DELIVERY_FILE', () => {
  const untilIn = (hours: WordingInUse, school = SCHOOL): string =>
    new Date(hours.notBefore(school, TEN)).toISOString().slice(11, 16);

  it('follow the file on a reload', () => {
    const hours = new WordingInUse(config({ quietHours: '08:00-12:00', timeZone: 'UTC' }));
    expect(untilIn(hours)).toBe('12:00');
    hours.reload(config({ quietHours: '09:00-11:00', timeZone: 'UTC' }));
    expect(untilIn(hours)).toBe('11:00');
  });

  it('replace QUIET_HOURS and TIME_ZONE, each alone, for that school only', () => {
    const settings = { QUIET_HOURS: '08:00-12:00', TIME_ZONE: 'UTC' };
    const of = (school: Readonly<Record<string, string>>) => new WordingInUse(config(school, settings));
    expect(untilIn(of({ quietHours: 'off' }))).toBe('10:00');
    expect(untilIn(of({ quietHours: 'off' }), 'http://b.example')).toBe('12:00');
    expect(untilIn(of({ timeZone: 'Europe/Berlin' }))).toBe('11:00');
  });

  it.each([
    [
      { timeZone: 'Mars/Olympus' },
      '(DELIVERY_FILE), schools > entry 1 > timeZone: is not the IANA name of a time zone, such as Europe/Istanbul',
    ],
    [{ quietHours: '7-8' }, '(DELIVERY_FILE), schools > entry 1 > quietHours: is not HH:MM-HH:MM or off'],
  ])('are refused as %j', (school, message) => {
    expect(() => new WordingInUse(config(school))).toThrow(message);
  });

  it('are refused in the setting', () => {
    expect(() => loadConfig({ QUIET_HOURS: '22-7' })).toThrow('QUIET_HOURS: "22-7" is not valid.');
  });
});
