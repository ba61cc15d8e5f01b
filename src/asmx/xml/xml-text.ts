// What XML 1.0 forbids: ASP.NET writes it as a character reference all the same. Lone surrogates become U+FFFD
// when the answer is encoded.
const FORBIDDEN = /[^\t\n\r\u0020-\ufffd]/g;
const NEEDS_ESCAPE = new RegExp(`[&<>]|${FORBIDDEN.source}`);

/**
 * Escapes text content the way XmlTextWriter does: `&`, `<` and `>` as entities, forbidden control characters
 * as `&#x1;`, everything else raw, quotes, tabs and line ends included (wire contract, section 2.5).
 */
export function escapeText(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return text;
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(FORBIDDEN, (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`);
}

/** Escapes text for a double-quoted attribute value. */
export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}

/** A text for xmlbuilder2, which takes `&name;` for a reference of the writer's own and leaves it as it stands. */
export function literalText(text: string): string {
  return text.replaceAll('&', '&amp;');
}
