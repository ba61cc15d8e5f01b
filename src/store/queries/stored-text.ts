const URL_PARTS =
  /^(?<scheme>[a-z][a-z0-9+.-]*):\/\/(?<user>[^/?#]*@)?(?<host>\[[^\]/?#]*\]|[^:/?#@[\]]*)(?::(?<port>\d{0,5}))?(?<path>\/[^?#]*)?(?<query>\?[^#]*)?(?:#.*)?$/isu;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

/**
 * The form in which school URLs are compared and stored: scheme and host in lower case, without default
 * port, trailing slashes and fragment. A text that is no URL is only trimmed. Nothing else is changed (no
 * percent-encoding, no dot segments): two texts that a school may mean differently stay different. The
 * result is a key; nothing ever connects to it. Applying it twice changes nothing.
 */
export function canonicalSchoolUrl(text: string): string {
  const trimmed = text.trim();
  const parts = URL_PARTS.exec(trimmed)?.groups;
  if (parts === undefined) return trimmed;
  const { scheme = '', user = '', host = '', port = '', path = '', query = '' } = parts;
  if (/\s/u.test(user + host)) return trimmed;

  const lowerScheme = scheme.toLowerCase();
  const shownPort = port === '' || port === DEFAULT_PORTS[lowerScheme] ? '' : `:${port}`;
  // Blanks before a fragment are at the end once it is gone.
  return `${lowerScheme}://${user}${host.toLowerCase()}${shownPort}${withoutEnd(path)}${query.trimEnd()}`;
}

/** A loop, as the regular expression for it takes quadratic time on a long row of slashes. */
function withoutEnd(path: string): string {
  let end = path.length;
  while (end > 0 && /[/\s]/u.test(path.charAt(end - 1))) end -= 1;
  return path.slice(0, end);
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
