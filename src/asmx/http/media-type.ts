/**
 * Splits a header value at a separator outside double quotes.
 *
 * @param escape escape character within quotes: a backslash in RFC 7239, none in ASP.NET's reading of a
 * Content-Type
 */
export function splitOutsideQuotes(text: string, separator: ',' | ';', escape?: '\\'): string[] {
  if (!text.includes('"')) return text.split(separator);
  const parts: string[] = [];
  let quoted = false;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const character = text[index];
    if (quoted && character === escape) index += 1;
    else if (character === '"') quoted = !quoted;
    else if (character === separator && !quoted) {
      parts.push(text.slice(start, index));
      start = index + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** A Content-Type header, parsed as ASP.NET does. */
export interface MediaType {
  /**
   * Text before the first semicolon, lower-cased and otherwise as sent: `text/xml ` with a blank is not
   * `text/xml`.
   */
  readonly name: string;
  readonly charset: string | undefined;
  /** Value of the `action` parameter (SOAP 1.2), or undefined. */
  readonly action: string | undefined;
}

const NONE: MediaType = { name: '', charset: undefined, action: undefined };

// Clients use very few values. Made-up ones neither fill the memory nor keep those of clients out.
const CACHE_ENTRIES = 64;
const cache = new Map<string, MediaType>();

/** Parses a Content-Type header value; undefined for a request without the header. */
export function readMediaType(header: string | undefined): MediaType {
  if (header === undefined) return NONE;
  const known = cache.get(header);
  if (known !== undefined) return known;
  const [name = '', ...parameters] = splitOutsideQuotes(header, ';');
  const mediaType = {
    name: name.toLowerCase(),
    charset: findParameter(parameters, 'charset'),
    action: findParameter(parameters, 'action'),
  };
  if (header.length >= 256) return mediaType;
  if (cache.size >= CACHE_ENTRIES) cache.clear();
  cache.set(header, mediaType);
  return mediaType;
}

// Names are case-insensitive; blanks, tabs and quotes of either kind are trimmed from values (wire contract,
// section 3).
function findParameter(parameters: readonly string[], wanted: string): string | undefined {
  for (const parameter of parameters) {
    const equals = parameter.indexOf('=');
    if (equals < 0 || parameter.slice(0, equals).trim().toLowerCase() !== wanted) continue;
    return parameter.slice(equals + 1).replace(/^[ \t"']+|(?<![ \t"'])[ \t"']+$/g, '');
  }
  return undefined;
}
