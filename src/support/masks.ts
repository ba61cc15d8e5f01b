// In ASCII: with one letter beyond it, the engine keeps a whole log line in two bytes a character.

/** A telephone number for the log: `+90...33`. Without a country code only the last two digits: `...33`. */
export function maskPhone(phone: string): string {
  const prefix = phone.startsWith('+') ? phone.slice(0, 3) : '';
  return `${prefix}...${phone.slice(-2)}`;
}

/** A push token for the log: its first six characters, of a short one the first half. */
export function maskToken(token: string): string {
  return `${token.slice(0, Math.min(6, token.length / 2))}...`;
}

/**
 * What may be left of a telephone number where it is masked. Of one whose country is not known, that is what is left
 * of the same number in any country.
 *
 * @param phone - in E.164, or the bare digits of a number whose country is not known
 */
export function maskedForms(phone: string): readonly string[] {
  const bare = maskPhone(phone.replace('+', ''));
  if (phone.startsWith('+')) return [maskPhone(phone), bare];
  return [bare, ...Array.from({ length: 90 }, (_, at) => `+${String(at + 10)}${bare}`)];
}

/** Whether a telephone number is masked. */
export function isMaskedPhone(phone: string): boolean {
  return phone.includes('...');
}
