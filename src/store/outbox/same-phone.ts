/** National numbers are rarely longer: behind them, the ways to write one telephone differ. */
const TELLING_DIGITS = 9;

/**
 * Whether two numbers may be one telephone's. Those with a country, in E.164, are told apart by all of their digits;
 * where one has none, as it stands where DEFAULT_COUNTRY is not set, its last nine digits decide.
 *
 * @param one - in E.164, or the digits of a number whose country is not known
 */
export function isSamePhone(one: string, other: string): boolean {
  if (one === other) return true;
  if (one.startsWith('+') && other.startsWith('+')) return false;
  const [ours, theirs] = [significantDigits(one), significantDigits(other)];
  const telling = Math.min(TELLING_DIGITS, ours.length, theirs.length);
  return ours.slice(-telling) === theirs.slice(-telling);
}

/** A number without the zeros that lead to a country or a town, in the ways of each country. */
export function significantDigits(phone: string): string {
  return phone.replace(/^\+?0*/, '');
}
