import { type CountryCode, getCountryCallingCode } from 'libphonenumber-js/max';

import { significantDigits } from '../../store';
import { parseInternational } from '../../support/phones';

export interface NumberArea {
  /** Country, or its calling code if several countries or none have it; empty if unknown. */
  readonly country: string;
  /** First digits after the calling code: all but the last four. */
  readonly range: string;
  /** Undefined if unknown. */
  readonly served: { readonly country: CountryCode | undefined; readonly callingCode: string } | undefined;
  /** True if messages cost more than to any family: premium rates, satellites and the like. */
  readonly isPremium: boolean;
}

/**
 * Number of digits that vary within a range: such numbers are assigned, and bought, ten thousand at a time.
 */
const RANGE_DIGITS = 4;
const PREMIUM_TYPES: readonly string[] = ['PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER'];

/** @param phone - in E.164, or the digits of a number without a known country */
export function findArea(phone: string): NumberArea {
  const number = parseInternational(phone);
  if (number === undefined) {
    const range = significantDigits(phone).slice(0, -RANGE_DIGITS);
    return { country: '', range, served: undefined, isPremium: false };
  }
  const { country, countryCallingCode: callingCode, nationalNumber } = number;
  return {
    country: country ?? callingCode,
    range: nationalNumber.slice(0, -RANGE_DIGITS),
    served: { country, callingCode },
    // Satellites and international networks have calling codes that belong to no country.
    isPremium: number.isNonGeographic() || PREMIUM_TYPES.includes(number.getType() ?? ''),
  };
}

/**
 * Returns true if a number belongs to one of some countries. Countries share calling codes, and new ranges
 * are not in the tables yet: then the calling code decides.
 */
export function isOfCountries({ served }: NumberArea, countries: readonly CountryCode[]): boolean {
  if (served === undefined) return false;
  if (served.country !== undefined) return countries.includes(served.country);
  return countries.some((country) => getCountryCallingCode(country) === served.callingCode);
}

/**
 * Returns a number's country for counting: an ISO 3166 code, or a calling code after a plus sign; empty for
 * neither.
 */
export function countedCountry({ served }: NumberArea): string {
  return served === undefined ? '' : (served.country ?? `+${served.callingCode}`);
}
