import { SettingError } from '../config';

const PLACE = /\{([A-Za-z]+)\}/g;

/**
 * A text with places such as `{code}`.
 *
 * @param setting - where the text stands, for the error
 * @param names - the places that there may be
 * @param needed - the one that there must be, if any
 * @returns what fills the places in; a value is put in as it is, or as `escape` writes it, whatever it contains
 * @throws SettingError for a place that there is not, or the lack of the needed one
 */
export function namedTemplate<Name extends string>(
  setting: string,
  text: string,
  names: readonly Name[],
  needed?: Name,
): (values: Readonly<Record<Name, string>>, escape?: (value: string) => string) => string {
  const isName = (name: string): name is Name => names.some((known) => known === name);
  for (const [place, name = ''] of text.matchAll(PLACE)) {
    if (isName(name)) continue;
    const known = names.map((each) => `{${each}}`).join(', ');
    throw new SettingError(`${setting}: unknown placeholder ${place}. Expected ${known}.`);
  }
  if (needed !== undefined && !text.includes(`{${needed}}`)) {
    throw new SettingError(`${setting}: the placeholder {${needed}} is missing.`);
  }
  return (values, escape = (value) => value) =>
    text.replace(PLACE, (place, name: string) => (isName(name) ? escape(values[name]) : place));
}
