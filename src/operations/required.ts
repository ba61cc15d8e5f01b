import { ClientError } from './client-error';

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
