import { type CountryCode, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';

import { ownText } from './own-text';

/** Matches digits with the separators that people use, after {@link toAscii}. */
const WRITTEN_NUMBER = /^\+?[0-9 ()[\]./~-]+$/;
const SEPARATORS = /[^0-9+]/g;
/** Matches the digits accepted as a national number when the country is not known. */
const NATIONAL_NUMBER = /^[0-9]{3,15}$/;
/** Matches the possible start of a second number: after a slash, or a zero after a blank. */
const NEXT_NUMBER = /(?<! ) *\/ *|(?<! ) +(?=0)/g;
const WHOLE_NUMBER_DIGITS = 7;

/**
 * Returns a phone number in the form in which it is stored and compared: E.164 (`+905551112233`), or the bare
 * digits of a national number without a known country. A text that can mean two numbers is refused: a code
 * must not reach a stranger.
 *
 * @param text - a number as people write and paste it, with any blanks and hyphens, invisible characters,
 * full-width or Arabic digits, a leading `tel:`, or a trailing comma or semicolon
 * @param country - country of numbers without a country code, or undefined
 * @returns undefined unless the text is exactly one phone number
 */
export function readPhone(text: string, country: CountryCode | undefined): string | undefined {
  const written = toAscii(text)
    .replace(/^ *tel:/i, '')
    .replace(/^( *)[([]/, '$1')
    .replace(/(?<![ ;,])[ ;,]+$/, '');
  const number = written.replace(/^ +/, '');
  if (!WRITTEN_NUMBER.test(number) || holdsTwoNumbers(number, country)) return undefined;
  return number === written ? readNumber(number, country) : readAfterBlank(number, country);
}

/** Removes format characters (category Cf), and converts digits, blanks, hyphens and punctuation to ASCII. */
function toAscii(text: string): string {
  if (/^[ -~]*$/.test(text)) return text;
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(/[\p{Zs}\t]/gu, ' ')
    .replace(/[\u2010-\u2015\u2212\u30FC]/g, '-')
    .replace(/[\u060C\u061B]/g, ',') // The Arabic comma and semicolon.
    .replace(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
    .replace(/[\uFF01-\uFF5E]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}

function readNumber(written: string, country: CountryCode | undefined): string | undefined {
  const number = parse(written, country);
  if (number !== undefined) return number.number;
  if (country !== undefined) return undefined;

  const digits = written.replace(SEPARATORS, '');
  if (!NATIONAL_NUMBER.test(digits)) return undefined;
  if (!digits.startsWith('00')) return digits;
  // 00 is dialled for + nearly everywhere. In countries with 001 (Korea) or 0011 (Australia), this finds no
  // valid number.
  const dialled = parse(`+${digits.slice(2)}`, undefined);
  return dialled?.isValid() === true ? dialled.number : undefined;
}

/**
 * Reads a number that begins with a blank. In a query or a form this was an unencoded `+`, unless only the
 * number without it is valid; a number valid in both readings is refused.
 */
function readAfterBlank(digits: string, country: CountryCode | undefined): string | undefined {
  const international = parse(`+${digits}`, undefined);
  const national = readNumber(digits, country);
  if (international === undefined || international.number === national) return national;
  if (national === undefined) return international.number;

  const nationalIsValid = parse(digits, country)?.isValid() === true;
  if (international.isValid() === nationalIsValid) return undefined;
  return nationalIsValid ? national : international.number;
}

function holdsTwoNumbers(written: string, country: CountryCode | undefined): boolean {
  if (written.replace(SEPARATORS, '').length < 2 * WHOLE_NUMBER_DIGITS) return false;
  const isWhole = (part: string) =>
    country === undefined && !part.startsWith('+')
      ? part.replace(SEPARATORS, '').length >= WHOLE_NUMBER_DIGITS
      : parse(part, country)?.isValid() === true;
  return [...written.matchAll(NEXT_NUMBER)].some(
    ({ 0: gap, index }) => isWhole(written.slice(0, index)) && isWhole(written.slice(index + gap.length)),
  );
}

/**
 * Parses a number, checking only the length that its country allows: number plans open new ranges faster than
 * programs learn of them. The country's own international prefix (00, 001, 0011, 011, 810) is read as a plus.
 */
function parse(written: string, country: CountryCode | undefined): PhoneNumber | undefined {
  // A country code decides by itself.
  const number =
    country === undefined || written.startsWith('+')
      ? parseInternational(written)
      : parsePhoneNumberFromString(written, { defaultCountry: country, extract: false });
  if (number?.isPossible() !== true) return undefined;
  // 00 dialled in a country with another prefix: no number there begins with it.
  return number.nationalNumber.startsWith('00') ? undefined : number;
}

let latestText = '';
let latestNumber: PhoneNumber | undefined;

/**
 * Parses a number with a country code; returns undefined for any other text. The latest is remembered,
 * because several rules look at a phone one after the other.
 */
export function parseInternational(text: string): PhoneNumber | undefined {
  if (text !== latestText) {
    latestText = ownText(text);
    latestNumber = parsePhoneNumberFromString(latestText, { extract: false });
  }
  return latestNumber;
}
