const URL_PARTS =
  /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?<user>[^/?#]*@)?(?<host>\[[^\]/?#]*\]|[^:/?#@[\]]*)(?::(?<port>\d{0,5}))?(?<path>\/[^?#]*)?(?<query>\?[^#]*)?(?:#.*)?$/isu;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/** A blank, or an invisible format character (Unicode's category Cf), such as U+200B and U+202A. */
const INVISIBLE = /[\s\p{Cf}]/u;
const INVISIBLE_AT_AN_END = /^[\s\p{Cf}]|[\s\p{Cf}]$/u;

/**
 * The form in which school URLs are compared and stored: scheme and host in lower case, without default
 * port, trailing slashes and fragment. A text that is no URL is only trimmed, as a key is. Nothing else is changed (no
 * percent-encoding, no dot segments): two texts that a school may mean differently stay different. The
 * result is a key; nothing ever connects to it. Applying it twice changes nothing.
 */
export function canonicalSchoolUrl(text: string): string {
  const trimmed = canonicalKey(text);
  const parts = URL_PARTS.exec(trimmed)?.groups;
  if (parts === undefined) return trimmed;
  const { scheme = '', user = '', host = '', port = '', path = '', query = '' } = parts;
  if (INVISIBLE.test(user + host)) return trimmed;

  const lowerScheme = scheme.toLowerCase();
  const shownPort = port === '' || port === DEFAULT_PORTS[lowerScheme] ? '' : `:${port}`;
  // Blanks before a fragment are at the end once it is gone.
  return `${lowerScheme}://${user}${host.toLowerCase()}${shownPort}${withoutEnd(path)}${canonicalKey(query)}`;
}

/** A loop, as the regular expression for it takes quadratic time on a long row of slashes. */
function withoutEnd(path: string): string {
  const characters = Array.from(path);
  let end = characters.length;
  while (end > 0 && (characters[end - 1] === '/' || INVISIBLE.test(characters[end - 1] ?? ''))) end -= 1;
  return characters.slice(0, end).join('');
}

/**
 * Whether a text can be stored as it stands: PostgreSQL takes no U+0000, SQLite cuts there, and a lone
 * surrogate has no UTF-8. Importing refuses such texts, so a key that holds one names nothing.
 */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The text with U+FFFD in place of what cannot be stored. */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.replaceAll(/[\p{Surrogate}\0]/gu, '\uFFFD');
}

/**
 * The form in which ids are compared and stored: without blanks and invisible characters at the ends, which people
 * paste and databases pad with. Inside an id they stay: languages need them. Applying it twice changes nothing.
 */
export function canonicalKey(text: string): string {
  if (!INVISIBLE_AT_AN_END.test(text)) return text;
  // Loops, as a regular expression for the end takes quadratic time on a long row of blanks.
  const characters = Array.from(text);
  let [start, end] = [0, characters.length];
  while (start < end && INVISIBLE.test(characters[start] ?? '')) start += 1;
  while (end > start && INVISIBLE.test(characters[end - 1] ?? '')) end -= 1;
  return characters.slice(start, end).join('');
}
