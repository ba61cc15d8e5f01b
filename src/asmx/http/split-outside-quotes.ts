/**
 * Splits a header value at a separator that stands outside double quotes.
 *
 * @param escape takes the meaning of the character behind it, within quotes: RFC 7239 has the backslash for that,
 *   ASP.NET's reading of a Content-Type has nothing
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
