import fc from 'fast-check';
import { type CountryCode, getCountries, getExampleNumber } from 'libphonenumber-js/max';
import mobileExamples from 'libphonenumber-js/examples.mobile.json';

import { readPhone } from '../../src/support/phones';

const NUMBER = '+905551112233';

/** A mobile number of each country that libphonenumber knows, in E.164. */
const EXAMPLES = getCountries().flatMap((country) => getExampleNumber(country, mobileExamples) ?? []);

describe('readPhone', () => {
  it.each([
    ['direction marks around it, as copied from an iPhone', '\u202A+90 555 111 22 33\u202C'],
    ['a left-to-right mark', '\u200E+905551112233'],
    ['no-break spaces', '+90\u00A0555\u00A0111\u00A022\u00A033'],
    ['narrow no-break spaces', '+90\u202F555\u202F111\u202F22\u202F33'],
    ['a tab after it', '+905551112233\t'],
    ['Arabic digits', '+٩٠٥٥٥١١١٢٢٣٣'],
    ['Persian digits', '+۹۰۵۵۵۱۱۱۲۲۳۳'],
    ['full-width digits and plus', '＋９０（５５５）１１１２２３３'],
    ['tel:', 'tel:+90-555-111-22-33'],
    ['Tel: and a space', 'Tel: +90 555 111 22 33'],
    ['other hyphens', '+90\u2010555\u2011111\u201222\u201333'],
    ['dashes', '+90\u2014555\u2015111\u221222 33'],
    ['a semicolon after it', '+905551112233;'],
    ['a comma after it', '+90 555 111 22 33, '],
    ['an Arabic comma after it', '+٩٠٥٥٥١١١٢٢٣٣،'],
    ['a country code in brackets', '(+90) 555 111 22 33'],
    ['soft hyphens', '+90\u00AD555\u00AD1112233'],
  ])('reads a number with %s', (_what, text) => {
    expect(readPhone(text, undefined)).toBe(NUMBER);
    expect(readPhone(text, 'DE')).toBe(NUMBER);
  });

  it.each([
    ['٠٥٥٥ ١١١ ٢٢ ٣٣'],
    ['۰۵۵۵۱۱۱۲۲۳۳'],
    ['\u200F0555\u00A01112233'],
    ['tel:0555-111-22-33'],
    ['（0555）1112233'],
  ])('reads the national number %p', (text) => {
    expect(readPhone(text, 'TR')).toBe(NUMBER);
    expect(readPhone(text, undefined)).toBe('05551112233');
  });

  it.each([
    ['letters', '+90555111223x'],
    ['a superscript', '+90555111223³'],
    ['an extension', '+905551112233 x5'],
    ['an extension of a URI', 'tel:+90-555-111-22-33;ext=5'],
    ['a hash', '+905551112233#5'],
    ['two numbers and a comma', '+905551112233,+905551112244'],
    ['two numbers and a semicolon', '05551112233;05551112244'],
    ['two numbers and a slash', '0555 111 22 33 / 0555 111 22 44'],
    ['a line end inside', '0555\r\n1112233'],
    ['a line end before it', '\n+905551112233'],
    ['a NUL after it', '+905551112233\0'],
    ['a plus inside', '0555+1112233'],
    ['tel: inside', '0555 tel:1112233'],
    ['sixteen digits', '0555 111 22 33 44 555'],
  ])('refuses %s', (_what, text) => {
    expect(readPhone(text, 'TR')).toBeUndefined();
    expect(readPhone(text, undefined)).toBeUndefined();
  });

  it.each<[string, CountryCode | undefined]>([
    ['030 123456 / 030 123457', 'DE'],
    ['030 12345 030 12346', 'DE'],
    ['1112233/1112244', undefined],
    ['1112233،1112244', undefined],
    ['0555 1112 0555 1113', undefined],
    ['0555 1112  0555 1113', undefined],
  ])('refuses the two numbers %p for %p, which together are no longer than one', (text, country) => {
    expect(readPhone(text, country)).toBeUndefined();
  });

  it.each<[string, string]>([
    ['04101/1234567890', '+4941011234567890'],
    ['+49 (30) 1234 56789', '+4930123456789'],
    ['0049 0151 23456789', '+4915123456789'],
    ['0151  23456789', '+4915123456789'],
  ])('reads %p, which looks like two numbers, as one', (text, number) => {
    expect(readPhone(text, 'DE')).toBe(number);
  });

  it.each([
    ['0555/1234567890', '05551234567890'],
    ['0555 0123456789', '05550123456789'],
    ['0555 123456   01234', '055512345601234'],
    ['+49 41012 0123456', '+49410120123456'],
  ])('reads %p as one without a country, since one part is too short for a number', (text, digits) => {
    expect(readPhone(text, undefined)).toBe(digits);
  });

  it('reads digits without a plus as a national number', () => {
    expect(readPhone('90 555 1112233', 'DE')).toBe('+49905551112233');
  });

  it('reads every spelling of a number of any country as the same number', () => {
    const blank = fc.constantFrom('', ' ', '\u00A0', '\u202F', '-', '\u2011', '\u2013', '.', '\u200E');
    const zero = fc.constantFrom('0', '\u0660', '\u06F0', '\uFF10');
    const around = fc.constantFrom<[string, string][]>(
      ['', ''],
      ['\u202A', '\u202C'],
      ['tel:', ''],
      ['  ', ' ;'],
      ['', ', '],
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...EXAMPLES),
        fc.array(blank, { minLength: 16, maxLength: 16 }),
        zero,
        around,
        fc.constantFrom(undefined, 'TR' as const, 'DE' as const, 'US' as const, 'KR' as const),
        ({ number }, blanks, zeroDigit, [before, after], country) => {
          const digits = Array.from(number.slice(1)).map(
            (digit, at) =>
              `${String.fromCharCode(zeroDigit.charCodeAt(0) + Number(digit))}${String(blanks[at])}`,
          );
          expect(readPhone(`${before}+${digits.join('')}${after}`, country)).toBe(number);
        },
      ),
      { numRuns: 2_000 },
    );
  });
});

describe('a plus that arrives as a space', () => {
  it.each<[string, CountryCode | undefined, string]>([
    [' 4915123456789', 'TR', '+4915123456789'],
    [' 905551112233', 'DE', '+905551112233'],
    [' 905551112233', 'TR', '+905551112233'],
    [' 905551112233', undefined, '+905551112233'],
    ['  49 151 23456789', 'TR', '+4915123456789'],
    ['\u202A 90 555 111 22 33\u202C', 'DE', '+905551112233'],
    ['tel: 905551112233', 'DE', '+905551112233'],
    ['( 49) 151 23456789', 'TR', '+4915123456789'],
    [' (49) 151 23456789', 'TR', '+4915123456789'],
    [' 49 1999 1234567890', 'US', '+4919991234567890'],
  ])('is read as a plus in %p for numbers of %p', (text, country, number) => {
    expect(readPhone(text, country)).toBe(number);
  });

  it.each<[string, CountryCode | undefined, string]>([
    [' 05551112233', 'TR', '+905551112233'],
    [' 5551112233', 'TR', '+905551112233'],
    [' 2025550123', 'US', '+12025550123'],
    [' 05551112233', undefined, '05551112233'],
  ])('is read as a space in %p for %p, where only the national number is valid', (text, country, number) => {
    expect(readPhone(text, country)).toBe(number);
  });

  it.each<[string, CountryCode | undefined]>([
    // A mobile number in Turkey, and a fixed line in Cuba.
    [' 5321234567', 'TR'],
    // Possible in Brazil, and anywhere.
    [' 5551112233', undefined],
  ])('is refused in %p for %p, which could be two numbers', (text, country) => {
    expect(readPhone(text, country)).toBeUndefined();
  });

  it('never turns a valid number of one country into one of another', () => {
    const countries = fc.constantFrom('TR', 'DE', 'US', 'GB', 'IT', 'FR', 'SA', 'KR', 'AU', 'RU', undefined);
    fc.assert(
      fc.property(fc.constantFrom(...EXAMPLES), countries, ({ number }, country) => {
        expect([number, undefined]).toContain(readPhone(number.replace('+', ' '), country));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('an international prefix', () => {
  it.each<[string, CountryCode]>([
    ['00 90 555 111 22 33', 'DE'],
    ['001 90 555 111 22 33', 'KR'],
    ['001 90 555 111 22 33', 'HK'],
    ['001 90 555 111 22 33', 'TH'],
    ['0011 90 555 111 22 33', 'AU'],
    ['011 90 555 111 22 33', 'US'],
    ['8 10 90 555 111 22 33', 'RU'],
    ['810 90 555 111 22 33', 'KZ'],
  ])('is read by the country’s rule: %p in %p', (text, country) => {
    expect(readPhone(text, country)).toBe(NUMBER);
  });

  it.each<[string, CountryCode | undefined]>([
    ['00905551112233', 'US'],
    ['00905551112233', 'RU'],
    ['00905551112233', 'KR'],
    ['001 90 555 111 22 33', 'DE'],
    ['001 90 555 111 22 33', undefined],
    ['0011 90 555 111 22 33', undefined],
  ])('of another country is refused: %p in %p', (text, country) => {
    expect(readPhone(text, country)).toBeUndefined();
  });
});

describe('a number in a range newer than this program', () => {
  it('is validated by its length only', () => {
    expect(readPhone('0999 888 77 66', 'TR')).toBe('+909998887766');
    expect(readPhone('+909998887766', undefined)).toBe('+909998887766');
  });
});
