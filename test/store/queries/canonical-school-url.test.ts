import fc from 'fast-check';

import { canonicalSchoolUrl, keyForm } from '../../../src/store';
import { anyCharacter } from '../../harness/any-character';

describe('the canonical form of a school’s URL', () => {
  it.each([
    ['http://school.example', 'http://school.example'],
    ['HTTP://School.Example', 'http://school.example'],
    ['http://school.example/', 'http://school.example'],
    ['http://school.example///', 'http://school.example'],
    ['http://school.example:80/a', 'http://school.example/a'],
    ['https://school.example:443', 'https://school.example'],
    ['https://school.example:80', 'https://school.example:80'],
    ['http://school.example:/', 'http://school.example'],
    ['http://school.example/Path/', 'http://school.example/Path'],
    ['http://school.example/a#top', 'http://school.example/a'],
    ['http://school.example?Q=1#x', 'http://school.example?Q=1'],
    ['http://school.example/a / #top', 'http://school.example/a'],
    ['http://school.example/?q #top', 'http://school.example?q'],
    ['http://[::1]:8080/', 'http://[::1]:8080'],
    ['  http://school.example \n', 'http://school.example'],
    ['\u202ahttp://school.example/\u200b\u202c', 'http://school.example'],
    ['http://school.example/a/\u200b/#top', 'http://school.example/a'],
    ['http://school.example/?q\u200b#top', 'http://school.example?q'],
    ['http://OKUL.ÖRNEK', 'http://okul.örnek'],
    ['http://user@host@127.0.0.1/', 'http://user@host@127.0.0.1'],
  ])('of %j is %j', (text, canonical) => {
    expect(canonicalSchoolUrl(text)).toBe(canonical);
  });

  it.each(['Okul 1', 'school.example', 'c:\\school', 'http://', 'http://a b', 'http://a:port', 'Mailto:X@Y'])(
    'leaves %j unchanged, because it is not a URL',
    (text) => {
      expect(canonicalSchoolUrl(` ${text}\t`)).toBe(text);
    },
  );

  it('distinguishes URLs that differ only in their encoding', () => {
    expect(canonicalSchoolUrl('http://a.example/%7Ex')).not.toBe(canonicalSchoolUrl('http://a.example/~x'));
  });

  it('is the same for a plain URL, which is only looked at, as when it is parsed', () => {
    const part = fc.constantFrom(
      'a',
      'Z',
      '0',
      '.',
      '-',
      '_',
      '~',
      '%',
      '/',
      '//',
      ':80',
      '@',
      '?',
      '#',
      ' ',
      'İ',
    );
    fc.assert(
      fc.property(
        fc.constantFrom('http', 'https', 'HTTP', 'ftp'),
        fc.array(part, { maxLength: 8 }),
        (scheme, parts) => {
          const url = `${scheme}://${parts.join('')}`;
          // The blank before it is dropped, and has the URL parsed.
          expect(canonicalSchoolUrl(url)).toBe(canonicalSchoolUrl(` ${url}`));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('does not change when it is canonicalized again', () => {
    const part = fc.constantFrom(
      'http',
      'HTTPS',
      '://',
      'A.b',
      ':80',
      ':443',
      '/',
      '//',
      '?',
      '#',
      '@',
      ' ',
      'İ',
      '[',
      ']',
      ':',
    );
    const rest = fc.array(
      fc.oneof({ weight: 4, arbitrary: part }, { weight: 1, arbitrary: fc.string({ unit: anyCharacter }) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(rest, (parts) => {
        const canonical = canonicalSchoolUrl(`http://a${parts.join('')}`);
        expect(canonicalSchoolUrl(canonical)).toBe(canonical);
      }),
      { numRuns: 500 },
    );
  });
});

describe('the canonical form of an id', () => {
  it.each([
    ['S1', 'S1'],
    [' S1\t', 'S1'],
    ['S1      ', 'S1'],
    ['\u00a0\u200bS1\u200b\ufeff', 'S1'],
    ['\u202aS1\u202c', 'S1'],
    ['S1\u{e0020}', 'S1'],
    ['S 1', 'S 1'],
    ['\u0645\u06cc\u200c\u0631\u0648\u0645', '\u0645\u06cc\u200c\u0631\u0648\u0645'],
    ['\u200b \u00ad', ''],
    ['', ''],
    ['😀', '😀'],
  ])('of %j is %j', (text, canonical) => {
    expect(keyForm()(text)).toBe(canonical);
    expect(keyForm()(canonical)).toBe(canonical);
  });
});
