import { type CountryCode, getCountryCallingCode, parsePhoneNumberFromString } from 'libphonenumber-js/min';

/**
 * Whether codes are sent to a telephone.
 *
 * @param phone - in E.164, or bare digits of a country that is not known
 * @param allowed - countries, or undefined for all of them
 */
export function isAllowedCountry(phone: string, allowed: readonly CountryCode[] | undefined): boolean {
  if (allowed === undefined) return true;
  const number = parsePhoneNumberFromString(phone);
  if (number === undefined) return false;
  if (number.country !== undefined) return allowed.includes(number.country);
  // Countries share calling codes, and new ranges are not in the tables yet: then the calling code decides.
  return allowed.some((country) => getCountryCallingCode(country) === number.countryCallingCode);
}
