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
