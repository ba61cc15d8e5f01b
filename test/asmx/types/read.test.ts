// White space before a value changes nothing, but takes it off the quick way (wire contract, section 5).

import fc from 'fast-check';

import type { PlainName } from '../../../src/asmx/contract/values';
import { DateTime } from '../../../src/asmx/contract/date-time';
import { localClock } from '../../../src/asmx/types/local-clock';
import { PLAIN_TYPES, type ReadingRules } from '../../../src/asmx/types/plain-types';
import { ValueError } from '../../../src/asmx/types/value-error';

const RULES: ReadingRules = {
  charReading: 'strict',
  clock: localClock('Europe/Istanbul', () => Date.parse('2026-11-22T12:00:00Z')),
};

function valueOf(type: PlainName, text: string): unknown {
  try {
    return PLAIN_TYPES[type].readXml(text, RULES);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return error.message.replaceAll(' ', '');
  }
}

/** Makes the same texts, some with a character too few, too many or another. */
function damaged(texts: fc.Arbitrary<string>, characters: string): fc.Arbitrary<string> {
  const damage = fc.tuple(
    texts,
    fc.nat(40),
    fc.nat(2),
    fc.constantFrom('', ...[...Array.from(characters), '0', '9', 'x', '٣', '\0']),
  );
  return fc.oneof(
    texts,
    damage.map(([text, at, length, character]) => text.slice(0, at) + character + text.slice(at + length)),
  );
}

const dates = fc
  .tuple(
    fc.integer({ min: DateTime.MIN.wallTime, max: Date.UTC(9999, 11, 31) }),
    fc.oneof(fc.constant(0), fc.nat(9999)),
    fc.oneof(fc.constantFrom(undefined, 'Z' as const), fc.integer({ min: -900, max: 900 })),
  )
  .map(([wallTime, ticks, zone]) => new DateTime(wallTime, ticks, zone).toString());
const TYPES: readonly (readonly [PlainName, fc.Arbitrary<string>, string])[] = [
  ['int', fc.oneof(fc.integer().map(String), fc.constantFrom('0', '-0', '2147483648', '007')), '+-'],
  ['short', fc.integer({ min: -40_000, max: 40_000 }).map(String), '+-'],
  ['unsignedByte', fc.integer({ min: -10, max: 300 }).map(String), '+-'],
  ['long', fc.oneof(fc.bigInt({ min: -(2n ** 65n), max: 2n ** 65n }), fc.integer()).map(String), '+-'],
  ['decimal', fc.stringMatching(/^-?(?:0|[1-9][0-9]{0,20})(?:\.[0-9]{1,20})?$/), '-.'],
  ['dateTime', dates, '-:.TZz+'],
  ['guid', fc.uuid(), '-F{}('],
];

it.each(TYPES)('a text of %s is read the same with white space before it', (type, texts, characters) => {
  fc.assert(
    fc.property(damaged(texts, characters), (text) => {
      expect(valueOf(type, text)).toEqual(valueOf(type, ` ${text}`));
    }),
    { numRuns: 1000 },
  );
});

it.each([
  '2024-02-29T23:59:59',
  '2023-02-29T00:00:00',
  '1900-02-29T00:00:00',
  '2000-02-29T00:00:00',
  '0000-01-01T00:00:00',
  '2026-04-31T00:00:00',
  '2026-11-22T24:00:00',
  '2026-11-22T08:60:00',
  '2026-11-22T08:30:00.',
  '2026-11-22T08:30:00.12345675',
  '2026-11-22T08:30:00.99999999Z',
  '2026-11-22T08:30:00+14:00',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59.9999999-14:00',
])('the date %s is read the same with white space before it', (text) => {
  expect(valueOf('dateTime', text)).toEqual(valueOf('dateTime', ` ${text}`));
});
