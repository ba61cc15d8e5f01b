import type { CountryCode } from 'libphonenumber-js/max';

import { readPhone } from '../support/phones';
import { canonicalKey } from '../store';

/** The caller's fault. Its message reaches the caller, so it never repeats a value. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
}

/** Longest value of a parameter, in UTF-16 units. */
export const LONGEST = { code: 32, key: 256, url: 2048, flag: 1 } as const;

/**
 * Returns an argument that must be there, as it stands.
 *
 * @param longest - in UTF-16 units; a longer value is refused, never cut
 * @throws ClientError where it is absent, empty or too long
 */
export function required<Name extends string>(
  args: Readonly<Record<Name, string | null>>,
  name: Name,
  longest: number,
): string {
  const value = args[name];
  if (value === null) throw new ClientError(`Missing parameter: ${name}.`);
  if (value === '') throw new ClientError(`Parameter ${name} is empty.`);
  if (value.length > longest) {
    throw new ClientError(`Parameter ${name} is longer than ${String(longest)} characters.`);
  }
  return value;
}

/**
 * The same for an id, in the form in which ids are stored and compared.
 *
 * @throws ClientError where it is absent, too long, or empty in that form
 */
export function requiredKey<Name extends string>(
  args: Readonly<Record<Name, string | null>>,
  name: Name,
): string {
  const key = canonicalKey(required(args, name, LONGEST.key));
  if (key === '') throw new ClientError(`Parameter ${name} is empty.`);
  return key;
}

/**
 * The same for a character. The contract's type has no null: one that is absent is U+0000, which no flag can be.
 *
 * @throws ClientError where it is absent
 */
export function requiredCharacter<Name extends string>(
  args: Readonly<Record<Name, string>>,
  name: Name,
): string {
  if (args[name] === '\0') throw new ClientError(`Missing parameter: ${name}.`);
  return required(args, name, LONGEST.flag);
}

/**
 * A telephone number in the one form that it is stored and compared in; see readPhone.
 *
 * @param country - country of numbers without a country code, or undefined
 * @throws ClientError where the text is no telephone number
 */
export function normalisePhone(text: string, country: CountryCode | undefined): string {
  const phone = readPhone(text, country);
  if (phone === undefined) throw new ClientError('Parameter phone is not a valid phone number.');
  return phone;
}
