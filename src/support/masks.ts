// In ASCII: a single character beyond it would make the engine store the whole log line in two bytes per
// character.

/**
 * Masks a phone number for the log: `+90...33`. Without a country code only the last two digits stay:
 * `...33`.
 */
export function maskPhone(phone: string): string {
  const prefix = phone.startsWith('+') ? phone.slice(0, 3) : '';
  return `${prefix}...${phone.slice(-2)}`;
}

/** Masks a push token for the log: keeps its first six characters, or half of a short one. */
export function maskToken(token: string): string {
  return `${token.slice(0, Math.min(6, token.length / 2))}...`;
}

/**
 * Returns the possible masked forms of a phone number. A number without a known country may match the same
 * number in any country.
 *
 * @param phone - in E.164, or the bare digits of a number without a known country
 */
export function maskedForms(phone: string): readonly string[] {
  const bare = maskPhone(phone.replace('+', ''));
  if (phone.startsWith('+')) return [maskPhone(phone), bare];
  return [bare, ...Array.from({ length: 90 }, (_, at) => `+${String(at + 10)}${bare}`)];
}

/** Returns true for a masked phone number. */
export function isMaskedPhone(phone: string): boolean {
  return phone.includes('...');
}
