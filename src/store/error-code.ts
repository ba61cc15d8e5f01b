/**
 * The code that the system or a database gave an error (`ENOENT`, `23505`), or undefined. Asks for the
 * property, not for the class: errors of native modules may belong to another realm.
 */
export function errorCode(error: unknown): string | undefined {
  return textProperty(error, 'code');
}

/** The message of an error, empty for what has none. */
export function errorMessage(error: unknown): string {
  return textProperty(error, 'message') ?? '';
}

function textProperty(value: unknown, name: 'code' | 'message'): string | undefined {
  if (typeof value !== 'object' || value === null || !(name in value)) return undefined;
  const property: unknown = Reflect.get(value, name);
  return typeof property === 'string' ? property : undefined;
}
