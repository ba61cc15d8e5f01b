import { type CountryCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** The caller's fault. Its message reaches the caller, so it never repeats a value. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
}

/** Longest value of a parameter, in UTF-16 units. */
export const LONGEST = { code: 32, key: 256, url: 2048, flag: 1 } as const;

/** Digits as ASCII writes them, with the separators people put between them. */
const WRITTEN_NUMBER = /^\+?[0-9 ()./-]+$/;
const SEPARATORS = /[ ()./-]/g;
/** What passes as its digits where nothing says which country a number belongs to. */
const NATIONAL_NUMBER = /^[0-9]{3,15}$/;

/**
 * Returns an argument that must be there, as it stands.
 *
 * @param longest - in UTF-16 units; a longer value is refused, never cut
 * @throws ClientError where it is absent, empty or too long
 */
export function required<Name extends string>(
  args: Readonly<Record<Name, string | null>>,
  name: Name,
  longest: number,
): string {
  const value = args[name];
  if (value === null) throw new ClientError(`Missing parameter: ${name}.`);
  if (value === '') throw new ClientError(`Parameter ${name} is empty.`);
  if (value.length > longest) {
    throw new ClientError(`Parameter ${name} is longer than ${String(longest)} characters.`);
  }
  return value;
}

/**
 * Brings a telephone number into the one form that it is stored and compared in: E.164 (`+905551112233`), or the
 * bare digits of a national number whose country is not known.
 *
 * @param country - country of numbers without a country code, or undefined
 * @throws ClientError where the text is no telephone number
 */
export function normalisePhone(text: string, country: CountryCode | undefined): string {
  const written = text.replace(/^ +|(?<! ) +$/g, '');
  if (!WRITTEN_NUMBER.test(written)) throw notANumber();

  // The length alone is judged: number plans open new ranges faster than programs learn of them.
  const number = parsePhoneNumberFromString(international(written), country);
  if (number?.isPossible()) return number.number;

  const digits = written.replace(SEPARATORS, '');
  if (country === undefined && NATIONAL_NUMBER.test(digits)) return digits;
  throw notANumber();
}

/** `00` is dialled for `+` nearly everywhere. */
function international(written: string): string {
  return written.startsWith('00') ? `+${written.slice(2)}` : written;
}

function notANumber(): ClientError {
  return new ClientError('Parameter phone is not a telephone number.');
}
