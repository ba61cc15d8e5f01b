import { SealedTexts } from '../../../src/admin/console/message-address';
import { duration } from '../../../src/admin/reports/duration';
import { TimeText } from '../../../src/admin/reports/time-text';
import { englishText } from '../../../src/support/phrase';

describe('a text that must not appear in a URL', () => {
  const sealed = new SealedTexts();

  it('is sealed for this process only, and differently each time', () => {
    const one = sealed.seal('+905551112233');
    expect(sealed.open(one)).toBe('+905551112233');
    expect(sealed.seal('+905551112233')).not.toBe(one);
    expect(Buffer.from(one, 'base64url').toString('latin1')).not.toContain('555');
    expect(new SealedTexts().open(one)).toBeUndefined();
  });

  it.each(['', 'x', 'A'.repeat(60), '%'])('is rejected if it was never sealed: %j', (text) => {
    expect(sealed.open(text)).toBeUndefined();
  });

  it('is rejected if it was changed', () => {
    const bytes = Buffer.from(sealed.seal('+905551112233'), 'base64url');
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    expect(sealed.open(bytes.toString('base64url'))).toBeUndefined();
  });
});

it.each([
  [0, '0.0 s'],
  [940, '0.9 s'],
  [1000, '1 s'],
  [61_000, '1 min 1 s'],
  [3_600_000, '1 h'],
  [90_061_000, '1 d 1 h'],
])('%d ms is shown as %j', (milliseconds, text) => {
  expect(englishText(duration(milliseconds))).toBe(text);
});

it('shows times in a time zone', () => {
  const time = Date.parse('2026-03-29T00:59:59Z');
  expect(new TimeText('Europe/Berlin').of(time)).toBe('2026-03-29 01:59:59');
  expect(new TimeText('Europe/Berlin').of(time + 1000)).toBe('2026-03-29 03:00:00');
});

it.each([
  ['2026-03-29T01:59:59', '2026-03-29T00:59:59Z'],
  ['2026-03-29T03:00', '2026-03-29T01:00:00Z'],
  ['2026-10-25T04:30', '2026-10-25T03:30:00Z'],
  ['2026-07-01T00:00', '2026-06-30T22:00:00Z'],
])('reads the local time %s as %s', (local, moment) => {
  expect(new TimeText('Europe/Berlin').momentOf(local)).toBe(Date.parse(moment));
});

it.each(['', '2026-03-29', '2026-13-29T01:00', '2026-03-29T01:00Z', 'now'])(
  'finds no local time in %j',
  (text) => {
    expect(new TimeText('Europe/Berlin').momentOf(text)).toBeNaN();
  },
);
