// Patterns of settings never stop the process, whatever text they are tried on.

import { loadConfig, SearchPattern, SettingError } from '../../src/config';

const LOOK_AROUND = 'Look-around, (?= (?! (?<= and (?<!, is not supported. Match the whole text instead.';
const BACK_REFERENCE =
  'Back-references, \\1 and \\k<name>, are not supported. Write out the alternatives instead.';
const TOO_LARGE = 'The pattern is too large. Repeat with + or * instead of counting.';

describe('a pattern in CODE_PATTERN', () => {
  const name = 'CODE_PATTERN';
  const load = (source: string): unknown => loadConfig({ [name]: source });

  it.each([
    ['(?=[0-9])[0-9]+', LOOK_AROUND],
    ['^(?!.*"status":"[^0]")', LOOK_AROUND],
    ['(?<=a)b', LOOK_AROUND],
    ['[(](?<!a)b', LOOK_AROUND],
    [String.raw`([0-9])\1`, BACK_REFERENCE],
    [String.raw`(?<n>[0-9])\k<n>`, BACK_REFERENCE],
    ['((a{100}){100}){100}', 'Default: '],
    ['[ab]{1,1000}', TOO_LARGE],
    ['(?:[ab]{1,30}){1,30}', TOO_LARGE],
    ['[0-9', 'Default: '],
    ['(a', 'Default: '],
  ])('is refused at start, with the alternative to use: %s', (source, advice) => {
    expect(() => load(source)).toThrow(SettingError);
    expect(() => load(source)).toThrow(
      new RegExp(`^${name}: .+ is not valid\\. Expected: regular expression \\(RE2\\)`),
    );
    expect(() => load(source)).toThrow(advice);
  });

  it.each([
    String.raw`\\1`,
    '[(?=]+',
    String.raw`\(?=`,
    String.raw`[\]](?:x)`,
    String.raw`\\k`,
    'ş+',
    '[^"]{1,256}',
  ])('is accepted if it only resembles what is refused: %s', (source) => {
    expect(load(source)).toMatchObject({ [name]: { source } });
  });
});

it.each(['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '(.*a){20}$', '^(?:a?){30}a{30}$'])(
  'matches a hostile text quickly where backtracking would take years: %s',
  (source) => {
    const success = new SearchPattern(source);
    expect(success.find(`${'a'.repeat(64 * 1024)}\n!`)).toBeUndefined();
  },
);

it('matches across lines, and returns what its named groups captured', () => {
  const pattern = new SearchPattern('"ok".*"sid":"(?<id>\\w+)"(?<more>,)?');
  expect(pattern.groupNames).toEqual(['id', 'more']);
  expect(pattern.find('{"ok",\n"sid":"SM1"}')).toEqual({ id: 'SM1', more: null });
  expect(pattern.find('{"sid":"SM1"}')).toBeUndefined();
});

it('supports JavaScript’s escapes', () => {
  expect(new SearchPattern(String.raw`^\u015f\/\u{1F600}$`).find('ş/😀')).toEqual({});
});
