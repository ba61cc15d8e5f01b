import { SettingError } from '../config';

const PLACE = /\{([A-Za-z]+)\}/g;

/**
 * A text with places such as `{code}`.
 *
 * @param setting - where the text stands, for the error
 * @param names - the places that there may be
 * @param needed - the one that there must be, if any
 * @returns what fills the places in; values are put in as they stand, whatever they contain
 * @throws SettingError for a place that there is not, or the lack of the needed one
 */
export function namedTemplate<Name extends string>(
  setting: string,
  text: string,
  names: readonly Name[],
  needed?: Name,
): (values: Readonly<Record<Name, string>>) => string {
  const isName = (name: string): name is Name => names.some((known) => known === name);
  for (const [place, name = ''] of text.matchAll(PLACE)) {
    if (isName(name)) continue;
    const known = names.map((each) => `{${each}}`).join(', ');
    throw new SettingError(`${setting}: unknown placeholder ${place}. Expected ${known}.`);
  }
  if (needed !== undefined && !text.includes(`{${needed}}`)) {
    throw new SettingError(`${setting}: the placeholder {${needed}} is missing.`);
  }
  return (values) => text.replace(PLACE, (place, name: string) => (isName(name) ? values[name] : place));
}
