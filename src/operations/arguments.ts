import type { CountryCode } from 'libphonenumber-js/max';

import { readPhone } from '../support/phones';
import type { KeyForm } from '../store';

/** Thrown for an error of the caller. Its message reaches the caller, so it never repeats a value. */
export class ClientError extends Error {
  override readonly name = 'ClientError';

  /** @param reason for log and metrics: one of few texts, so without numbers that change */
  constructor(
    message: string,
    readonly reason = message,
  ) {
    super(message);
  }
}

/** Maximum length of a parameter's value, in UTF-16 units. */
export const MAX_LENGTHS = { code: 32, key: 256, url: 2048, flag: 1 } as const;

/**
 * Returns a required argument unchanged.
 *
 * @param longest - in UTF-16 units; a longer value is refused, never truncated
 * @throws ClientError if it is absent, empty or too long
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
 * Returns a required id in the form in which ids are stored and compared.
 *
 * @throws ClientError if it is absent, too long, or empty in that form
 */
export function requiredKey<Name extends string>(
  args: Readonly<Record<Name, string | null>>,
  name: Name,
  keyForm: KeyForm,
): string {
  const key = keyForm(required(args, name, MAX_LENGTHS.key));
  if (key === '') throw new ClientError(`Parameter ${name} is empty.`);
  return key;
}

/**
 * Returns a required character. The contract's type has no null: an absent one is U+0000, which no flag can
 * be.
 *
 * @throws ClientError if it is absent
 */
export function requiredCharacter<Name extends string>(
  args: Readonly<Record<Name, string>>,
  name: Name,
): string {
  if (args[name] === '\0') throw new ClientError(`Missing parameter: ${name}.`);
  return required(args, name, MAX_LENGTHS.flag);
}

/**
 * Returns a phone number in the form in which it is stored and compared; see readPhone.
 *
 * @param country - country of numbers without a country code, or undefined
 * @throws ClientError if the text is not a phone number
 */
export function normalisePhone(text: string, country: CountryCode | undefined): string {
  const phone = readPhone(text, country);
  if (phone === undefined) throw new ClientError('Parameter phone is not a valid phone number.');
  return phone;
}
