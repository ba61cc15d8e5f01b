// The quick way to a value's text is that of its type, to the byte (wire contract, section 5).

import fc from 'fast-check';

import { DateTime, type PlainName, type Value } from '../../../src/asmx/contract/values';
import { MAX_PUT_BYTES, type Put, putOneOf } from '../../../src/asmx/types/ascii-text';
import { PLAIN_TYPES } from '../../../src/asmx/types/plain-types';

const BEFORE = 5;
const FILL = 0xee;

/** The text that is put, or undefined where it is left to `write`; nothing else may be touched. */
function put(way: Put | undefined, value: Value): string | undefined {
  const bytes = Buffer.alloc(BEFORE + MAX_PUT_BYTES + BEFORE, FILL);
  const end = way?.(value, bytes, BEFORE) ?? -1;
  expect(bytes.subarray(0, BEFORE)).toEqual(Buffer.alloc(BEFORE, FILL));
  expect(bytes.subarray(-BEFORE)).toEqual(Buffer.alloc(BEFORE, FILL));
  return end < 0 ? undefined : bytes.toString('latin1', BEFORE, end);
}

/** Numbers whose digits .NET has to look for: near powers of ten, and near what few digits say. */
function difficult(round: (value: number) => number): fc.Arbitrary<number> {
  const exponents = fc.integer({ min: -6, max: 18 });
  const bits = new DataView(new ArrayBuffer(8));
  const neighbour = (value: number, steps: number): number => {
    if (round(0.1) === 0.1) {
      bits.setFloat64(0, value);
      bits.setBigInt64(0, bits.getBigInt64(0) + BigInt(steps));
      return bits.getFloat64(0);
    }
    bits.setFloat32(0, value);
    bits.setInt32(0, bits.getInt32(0) + steps);
    return bits.getFloat32(0);
  };
  return fc
    .tuple(fc.integer({ min: 1, max: 99_999_999 }), exponents, fc.integer({ min: -3, max: 3 }), fc.boolean())
    .map(([digits, exponent, steps, isNegative]) => {
      const number = neighbour(round(Number(`${String(digits)}e${String(exponent - 8)}`)), steps);
      return isNegative ? -number : number;
    });
}

const doubles = fc.oneof(
  fc.double(),
  fc.double({ min: -1e6, max: 1e6 }),
  fc.double({ min: 1e-5, max: 1 }),
  fc.integer().map((whole) => whole / 1000),
  fc.tuple(fc.integer(), fc.integer({ min: 1, max: 99 })).map(([whole, parts]) => whole / parts),
  fc.maxSafeInteger(),
  difficult(Number),
);
const singles = fc.oneof(
  fc.float(),
  fc.integer({ min: -1e7, max: 1e7 }).map((whole) => Math.fround(whole / 1000)),
  difficult(Math.fround),
  doubles,
);
const dates = fc
  .tuple(
    fc.oneof(
      fc.integer({ min: DateTime.MIN.wallTime, max: Date.UTC(9999, 11, 31, 23, 59, 59, 999) }),
      fc.integer({ min: -1e6, max: 1e6 }).map((day) => day * 86_400_000),
      fc.constantFrom(
        ...[NaN, Infinity, 0.5, -0.5, DateTime.MIN.wallTime - 1, Date.UTC(10_000, 0, 1), -0],
        ...[1600, 1900, 2000, 2024].flatMap((year) => [Date.UTC(year, 1, 29), Date.UTC(year, 2, 1) - 1]),
      ),
    ),
    fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9999 }), fc.constantFrom(-1, 10_000, 0.5)),
    fc.oneof(fc.constantFrom(undefined, 'Z' as const, 0.5, 6000, -6000), fc.integer({ min: -900, max: 900 })),
  )
  .map(([wallTime, ticks, zone]) => new DateTime(wallTime, ticks, zone));
const digits = fc.stringMatching(/^-?[0-9]{0,30}\.?[0-9]{0,30}$/);
const TYPES: readonly (readonly [PlainName, fc.Arbitrary<Value>])[] = [
  ['int', fc.oneof(fc.integer(), fc.integer({ min: -120, max: 120 }), fc.constantFrom(-0, 0.5, 2 ** 31))],
  ['short', fc.integer({ min: -40_000, max: 40_000 })],
  ['unsignedByte', fc.integer({ min: -10, max: 300 })],
  ['long', fc.oneof(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), fc.maxSafeInteger().map(BigInt))],
  ['boolean', fc.boolean()],
  [
    'decimal',
    fc.oneof(digits, fc.constantFrom('', '-', '.', '1.', '.5', '1.2.3', '1e3', '٣', '0'.repeat(80))),
  ],
  ['double', doubles],
  ['float', singles],
  ['dateTime', dates],
  [
    'guid',
    fc.oneof(
      fc.uuid(),
      fc.uuid().map((text) => text.toUpperCase()),
      fc
        .tuple(fc.uuid(), fc.integer({ min: 0, max: 35 }), fc.constantFrom('-', 'g', 'ı', '\0', ''))
        .map(([text, at, character]) => text.slice(0, at) + character + text.slice(at + 1)),
    ),
  ],
];

describe('a value put directly into the buffer', () => {
  it.each(TYPES)('as %s has the same text as when written', (type, values) => {
    const { put: way, write } = PLAIN_TYPES[type];
    fc.assert(
      fc.property(values, (value) => {
        const text = put(way, value);
        if (text !== undefined) expect(text).toBe(write(value));
      }),
      { numRuns: 500 },
    );
  });

  it.each<readonly [PlainName, readonly Value[]]>([
    ['int', [0, 7, -7, 10, 99, 100, -1000, 99_999_999, 100_000_000, 2 ** 31 - 1, -(2 ** 31)]],
    ['long', [0n, -1n, 99_999_999n, 100_000_000n, 2n ** 53n - 1n, 1n - 2n ** 53n]],
    ['decimal', ['0', '-0.50', '79228162514264337593543950335', '-0.1234567890123456789012345678']],
    [
      'double',
      [0, 1, -2.5, 0.1, 0.1 + 0.2, 1 / 3, 100 / 7, 0.0001, 0.00012345678901234567, Math.PI, 123456.789],
    ],
    ['double', [0.5, 999_999_999_999_999, 99_999_999_999_999.98, 999_999_999_999_999.9, 9.999999999999998]],
    ['float', [0, 0.1, -0.3, 16_777.215, 9_999_999, 0.0002, 3.4028234, 1234.5677]],
    [
      'dateTime',
      [DateTime.MIN, DateTime.parse('9999-12-31T23:59:59.9999999-14:00'), DateTime.utc(new Date(0))],
    ],
    ['boolean', [true, false]],
    ['guid', ['01234567-89ab-cdef-0123-456789ABCDEF']],
  ])('as %s does not need the slow path: %j', (type, values) => {
    const { put: way, write } = PLAIN_TYPES[type];
    expect(values.map((value) => put(way, value))).toEqual(values.map((value) => write(value)));
  });

  it.each(TYPES)('as %s is accepted only with that type', (type) => {
    const { put: way } = PLAIN_TYPES[type];
    const others: readonly Value[] = [
      'x',
      1.5,
      2n ** 70n,
      Uint8Array.of(1),
      [],
      {},
      null,
      'true',
      '2026-11-22',
    ];
    const taken = others.filter((value) => put(way, value) !== undefined);
    expect(taken).toEqual(type === 'double' || type === 'float' ? [1.5] : []);
  });

  it('of an enumeration is accepted unless XML would escape it', () => {
    const long = 'n'.repeat(MAX_PUT_BYTES + 1);
    const names = ['Low', 'a b', 'a&b', 'a"b', 'Orta Düzey', long];
    expect([...names, 'None', 1].map((name) => put(putOneOf(names), name))).toEqual([
      'Low',
      'a b',
      ...Array.from({ length: 6 }),
    ]);
  });
});
