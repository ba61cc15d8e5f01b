import { groupsOf } from '../asmx';

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

/** An address for the log: its network of 24 bits, of IPv6 that of 48. */
export function maskAddress(address: string): string {
  if (address.includes(':')) return `${groupsOf(address).slice(0, 3).join(':')}::/48`;
  return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
}

/** An error as it stands in the log. */
export interface DescribedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: DescribedError;
}

const MOST_CAUSES = 5;

/**
 * Picks from an error what explains it. Other properties stay out of the log: database drivers hang row
 * contents and parameters on theirs, and those are personal data.
 */
export function describeError(error: unknown, causesLeft = MOST_CAUSES): DescribedError {
  // Not instanceof: an error may come from another realm (worker, vm).
  if (typeof error !== 'object' || error === null) return { type: typeof error, message: String(error) };

  const { name, message, code, stack, cause } = error as Partial<Record<keyof Error | 'code', unknown>>;
  return {
    type: typeof name === 'string' ? name : 'object',
    message: typeof message === 'string' ? message : '',
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof stack === 'string' && { stack }),
    ...(cause !== undefined && causesLeft > 0 && { cause: describeError(cause, causesLeft - 1) }),
  };
}
