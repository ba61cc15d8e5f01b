import { type CountryCode, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/max';

import { significantDigits } from '../../store';

/** What the send policy knows of a telephone number. */
export interface NumberArea {
  /** Its country; its calling code where several countries share that, or none has it; empty where nobody knows. */
  readonly country: string;
  /** Its first digits, of those after the calling code: all but the last four. */
  readonly range: string;
  /** Undefined where it is not known. */
  readonly served: { readonly country: CountryCode | undefined; readonly callingCode: string } | undefined;
  /** Whether a message costs more there than to any family: premium rates, satellites and the like. */
  readonly isDear: boolean;
}

/** Digits that differ within a range: such numbers are given out, and bought, ten thousand at a time. */
const RANGE_DIGITS = 4;
const DEAR_TYPES: readonly string[] = ['PREMIUM_RATE', 'SHARED_COST', 'PERSONAL_NUMBER'];

/** @param phone - in E.164, or the digits of a number whose country is not known */
export function areaOf(phone: string): NumberArea {
  const number = parsePhoneNumberFromString(phone);
  if (number === undefined) {
    const range = significantDigits(phone).slice(0, -RANGE_DIGITS);
    return { country: '', range, served: undefined, isDear: false };
  }
  const { country, countryCallingCode: callingCode, nationalNumber } = number;
  return {
    country: country ?? callingCode,
    range: nationalNumber.slice(0, -RANGE_DIGITS),
    served: { country, callingCode },
    // Satellites and international networks have calling codes of their own, that of no country.
    isDear: number.isNonGeographic() || DEAR_TYPES.includes(number.getType() ?? ''),
  };
}

/**
 * Whether a number is of one of some countries. Countries share calling codes, and new ranges are not in the tables
 * yet: then the calling code decides.
 */
export function isOfCountries({ served }: NumberArea, countries: readonly CountryCode[]): boolean {
  if (served === undefined) return false;
  if (served.country !== undefined) return countries.includes(served.country);
  return countries.some((country) => getCountryCallingCode(country) === served.callingCode);
}

/** A number's country as it is counted: as ISO 3166 names it, or a calling code behind a plus; empty for neither. */
export function countedCountry({ served }: NumberArea): string {
  return served === undefined ? '' : (served.country ?? `+${served.callingCode}`);
}
