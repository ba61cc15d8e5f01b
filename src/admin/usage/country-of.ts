import { type CountryCode, getCountries, getCountryCallingCode } from 'libphonenumber-js/max';

/** Countries by calling code; undefined where several share it. */
const BY_CODE: ReadonlyMap<string, CountryCode | undefined> = countriesByCode();
/** What was kept of the numbers of older messages: a plus and two digits. */
const PREFIX_LENGTH = 3;

/**
 * The country that stands for what was kept of a number.
 *
 * @param kept - a country, a calling code behind a plus, or the plus and the first two digits
 * @returns a country, the calling code where that is all that is known, or nothing where the digits tell neither
 */
export function countryOf(kept: string): string {
  if (!kept.startsWith('+')) return kept;
  if (kept.length === PREFIX_LENGTH && !BY_CODE.has(kept)) return '';
  return BY_CODE.get(kept) ?? kept;
}

function countriesByCode(): ReadonlyMap<string, CountryCode | undefined> {
  const byCode = new Map<string, CountryCode | undefined>();
  for (const country of getCountries()) {
    const code = `+${getCountryCallingCode(country)}`;
    byCode.set(code, byCode.has(code) ? undefined : country);
  }
  return byCode;
}
