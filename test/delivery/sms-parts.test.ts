import fc from 'fast-check';
import { SegmentedMessage } from 'sms-segments-calculator';

import { smsParts, writeInGsm7 } from '../../src/delivery/sms-parts';

const a = (count: number): string => 'a'.repeat(count);
const ya = (count: number): string => 'я'.repeat(count);
/** Lists the characters of the extension table of GSM-7. */
const EXTENSION = Array.from('€[]{}\\^~|\f');
const TURKISH_LETTERS = Array.from('ŞşĞğçıİ');
const TURKISH = { smsShiftTable: 'turkish' } as const;
const SUFFIX = { smsSuffix: ' B016' };

describe('the parts of an SMS', () => {
  it.each([
    ['', 'GSM-7', 0, 1],
    [a(159), 'GSM-7', 159, 1],
    [a(160), 'GSM-7', 160, 1],
    [a(161), 'GSM-7', 161, 2],
    [a(2 * 153), 'GSM-7', 306, 2],
    [a(2 * 153 + 1), 'GSM-7', 307, 3],
    [a(3 * 153), 'GSM-7', 459, 3],
    [a(3 * 153 + 1), 'GSM-7', 460, 4],
    ['à\r\nÇ@'.repeat(32), 'GSM-7', 160, 1],
    [ya(70), 'UCS-2', 70, 1],
    [ya(71), 'UCS-2', 71, 2],
    [ya(2 * 67), 'UCS-2', 134, 2],
    [ya(2 * 67 + 1), 'UCS-2', 135, 3],
    ['ş'.repeat(71), 'UCS-2', 71, 2],
    [`${a(69)}ç`, 'UCS-2', 70, 1],
    [`€${ya(69)}`, 'UCS-2', 70, 1],
    ['🎓'.repeat(35), 'UCS-2', 70, 1],
    ['🎓'.repeat(36), 'UCS-2', 72, 2],
  ])('of %s are in %s, %d units, %d parts', (text, encoding, length, parts) => {
    expect(smsParts(text)).toEqual({ encoding, length, parts });
  });

  it.each(EXTENSION)('count %j twice', (character) => {
    expect(smsParts(a(158) + character)).toEqual({ encoding: 'GSM-7', length: 160, parts: 1 });
    expect(smsParts(a(159) + character)).toEqual({ encoding: 'GSM-7', length: 161, parts: 2 });
  });

  it.each([
    ['an extension character', a(151), '€', a(153), a(152), 'GSM-7'],
    ['an emoji', ya(65), '🎓', ya(67), ya(66), 'UCS-2'],
    ['a Turkish letter', a(147), 'ş', a(149), a(148), 'GSM-7 Turkish'],
  ])('end a unit early rather than split %s', (_, fits, character, rest, oneMore, encoding) => {
    const whole = smsParts(fits + character + rest, TURKISH);
    expect(whole).toMatchObject({ encoding, parts: 2 });
    const moved = smsParts(oneMore + character + rest.slice(1), TURKISH);
    expect(moved).toEqual({ ...whole, parts: 3 });
  });

  it('match those of sms-segments-calculator', () => {
    // It keeps together what a person sees as one character, which no gateway has to: texts have none of these.
    const character = fc.constantFrom(...Array.from('aZ09 @ßΩà\nşğıİçяا字🎓😀'), ...EXTENSION);
    const text = fc
      .tuple(fc.array(character, { maxLength: 6 }), fc.array(character, { maxLength: 6 }), fc.nat(480))
      .map(([begin, end, count]) => begin.join('') + a(count) + end.join(''));
    fc.assert(
      fc.property(text, (each) => {
        const judge = new SegmentedMessage(each);
        expect(smsParts(each)).toMatchObject({
          encoding: judge.encodingName,
          parts: judge.segmentsCount,
        });
      }),
      { numRuns: 300 },
    );
  });
});

describe('the parts of an SMS with the Turkish table', () => {
  it.each([
    [a(160), 'GSM-7', 160, 1],
    [`${a(153)}ş`, 'GSM-7 Turkish', 155, 1],
    [`${a(154)}ş`, 'GSM-7 Turkish', 156, 2],
    [`${a(2 * 149 - 2)}ş`, 'GSM-7 Turkish', 298, 2],
    [`${a(2 * 149 - 1)}ş`, 'GSM-7 Turkish', 299, 3],
    [`${a(149)}ş${a(2 * 149 - 2)}`, 'GSM-7 Turkish', 447, 3],
    [`${a(149)}ş${a(2 * 149 - 1)}`, 'GSM-7 Turkish', 448, 4],
    [`ş${ya(69)}`, 'UCS-2', 70, 1],
    [`ş${ya(70)}`, 'UCS-2', 71, 2],
  ])('of %s are in %s, %d units, %d parts', (text, encoding, length, parts) => {
    expect(smsParts(text, TURKISH)).toEqual({ encoding, length, parts });
  });

  it.each([...TURKISH_LETTERS, ...EXTENSION])('count %j twice', (character) => {
    const text = `ş${a(151)}${character}`;
    expect(smsParts(text, TURKISH)).toEqual({ encoding: 'GSM-7 Turkish', length: 155, parts: 1 });
    expect(smsParts(`${text}a`, TURKISH)).toEqual({ encoding: 'GSM-7 Turkish', length: 156, parts: 2 });
  });

  it.each(['Ç', 'Ö', 'ö', 'Ü', 'ü'])('count %j once, without the table', (character) => {
    expect(smsParts(a(159) + character, TURKISH)).toEqual({ encoding: 'GSM-7', length: 160, parts: 1 });
  });
});

describe('the parts of an SMS through a gateway that always sends UCS-2', () => {
  const UCS2 = { smsEncoding: 'ucs2' } as const;

  it.each([
    [a(70), UCS2, 70, 1],
    [a(71), UCS2, 71, 2],
    ['€'.repeat(70), UCS2, 70, 1],
    [a(66), { ...UCS2, ...SUFFIX }, 71, 2],
    ['ş'.repeat(71), { ...UCS2, ...TURKISH }, 71, 2],
  ] as const)('of %s with %j are %d units, %d parts', (text, rules, length, parts) => {
    expect(smsParts(text, rules)).toEqual({ encoding: 'UCS-2', length, parts });
  });
});

describe('the parts of an SMS with a suffix', () => {
  it.each([
    [a(155), SUFFIX, 'GSM-7', 160, 1],
    [a(156), SUFFIX, 'GSM-7', 161, 2],
    [a(301), SUFFIX, 'GSM-7', 306, 2],
    [a(302), SUFFIX, 'GSM-7', 307, 3],
    [ya(65), SUFFIX, 'UCS-2', 70, 1],
    [ya(66), SUFFIX, 'UCS-2', 71, 2],
    [`${a(148)}ş`, { ...TURKISH, ...SUFFIX }, 'GSM-7 Turkish', 155, 1],
    [`${a(149)}ş`, { ...TURKISH, ...SUFFIX }, 'GSM-7 Turkish', 156, 2],
    [a(10), { ...TURKISH, smsSuffix: 'ş' }, 'GSM-7 Turkish', 12, 1],
  ] as const)('of %s with %j are in %s, %d units, %d parts', (text, rules, encoding, length, parts) => {
    expect(smsParts(text, rules)).toEqual({ encoding, length, parts });
  });
});

describe('a text in GSM-7', () => {
  it.each([
    ['Şükrü Işık, ĞÇ', 'Sükrü Isik, GÇ'],
    // As macOS writes names: each letter before its mark.
    ['S\u0327ule Gu\u0308l', 'Sule Gül'],
    ['‘a’ “b” – — …', `'a' "b" - - ...`],
    ['1\u00a0000\u202f000\tTL', '1 000 000 TL'],
    ['€ {x}\n@', '€ {x}\n@'],
    ['ok 🎓 字', 'ok ? ?'],
    // Its letter without the mark is not in GSM-7 either.
    ['й', '?'],
    ['x\u0302', 'x?'],
  ])('writes %j as %j', (text, written) => {
    expect(writeInGsm7(text)).toBe(written);
  });
});
