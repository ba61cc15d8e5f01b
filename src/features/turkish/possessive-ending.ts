/** Turkish endings of “… of them”, by the last digit, by the last ten, and of larger round numbers. */
const ENDINGS = {
  digits: [undefined, 'i', 'si', 'ü', 'ü', 'i', 'sı', 'si', 'i', 'u'],
  tens: [undefined, 'u', 'si', 'u', 'ı', 'si', 'ı', 'i', 'i', 'ı'],
} as const;

/** Returns the ending of a whole number in Turkish: 7’si, 10’u, 100’ü. */
export function possessiveEnding(value: number): string {
  if (value === 0) return 'ı';
  const own = ENDINGS.digits[value % 10] ?? ENDINGS.tens[Math.floor(value / 10) % 10];
  if (own !== undefined) return own;
  if (value % 1000 !== 0) return 'ü';
  return value % 1_000_000 === 0 ? 'u' : 'i';
}
