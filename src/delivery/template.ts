import { SettingError } from '../config';

const PLACE = /\{([A-Za-z][A-Za-z0-9]*)\}/g;

/**
 * Compiles a text with placeholders such as `{code}`.
 *
 * @param setting - source of the text, for errors
 * @param names - allowed placeholders
 * @param needed - required placeholder, if any
 * @returns a function that fills in the placeholders; a value is inserted literally, or as returned by
 * `escape`
 * @throws SettingError for an unknown placeholder, or if the required one is missing
 */
export function namedTemplate<Name extends string>(
  setting: string,
  text: string,
  names: readonly Name[],
  needed?: Name,
): (values: Readonly<Record<Name, string>>, escape?: (value: string) => string) => string {
  // Literal texts and names in turn.
  const pieces = text.split(PLACE);
  const unknown = pieces.find((piece, at) => at % 2 === 1 && !names.some((name) => name === piece));
  if (unknown !== undefined) {
    const known = names.map((each) => `{${each}}`).join(', ');
    throw new SettingError(`${setting}: unknown placeholder {${unknown}}. Expected ${known}.`);
  }
  if (needed !== undefined && !text.includes(`{${needed}}`)) {
    throw new SettingError(`${setting}: the placeholder {${needed}} is missing.`);
  }
  return (values, escape = (value) => value) => {
    let filled = '';
    for (const [at, piece] of pieces.entries())
      filled += at % 2 === 0 ? piece : escape(values[piece as Name]);
    return filled;
  };
}
