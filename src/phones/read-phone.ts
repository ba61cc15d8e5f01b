import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Digits as ASCII writes them, with the separators people put between them. */
const WRITTEN_NUMBER = /^\+?[0-9 ()./-]+$/;
const SEPARATORS = /[ ()./-]/g;
/** What passes as its digits where nothing says which country a number belongs to. */
const NATIONAL_NUMBER = /^[0-9]{3,15}$/;

/**
 * Brings a telephone number into the one form that it is stored and compared in: E.164 (`+905551112233`), or the
 * bare digits of a national number whose country is not known.
 *
 * @param country - country of numbers without a country code, or undefined
 * @returns undefined where the text is no telephone number
 */
export function readPhone(text: string, country: CountryCode | undefined): string | undefined {
  const written = text.replace(/^ +|(?<! ) +$/g, '');
  if (!WRITTEN_NUMBER.test(written)) return undefined;

  // The length alone is judged: number plans open new ranges faster than programs learn of them.
  const number = parsePhoneNumberFromString(international(written), country);
  if (number?.isPossible()) return number.number;

  const digits = written.replace(SEPARATORS, '');
  return country === undefined && NATIONAL_NUMBER.test(digits) ? digits : undefined;
}

/** `00` is dialled for `+` nearly everywhere. */
function international(written: string): string {
  return written.startsWith('00') ? `+${written.slice(2)}` : written;
}
