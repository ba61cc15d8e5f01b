/** Decimal places of an amount, which is kept in whole millionths, so that sums are exact. */
const PLACES = 6;

/** Parses an amount such as `0.0125` to millionths; undefined for any other text. */
export function readAmount(text: string): bigint | undefined {
  const [, whole, places = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return whole === undefined ? undefined : BigInt(whole + places.padEnd(PLACES, '0'));
}

/** Formats millionths as an amount with at least two decimal places. */
export function amountText(millionths: bigint): string {
  const digits = String(millionths).padStart(PLACES + 1, '0');
  let end = digits.length;
  while (end > digits.length - PLACES + 2 && digits.charAt(end - 1) === '0') end -= 1;
  return `${digits.slice(0, -PLACES)}.${digits.slice(-PLACES, end)}`;
}
