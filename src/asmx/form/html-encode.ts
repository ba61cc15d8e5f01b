const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * HTML-encodes text as ASP.NET's HtmlEncode does: the five markup characters, and U+00A0 to U+00FF as decimal
 * references; everything above stays raw (wire contract, section 4).
 */
export function htmlEncode(text: string): string {
  return text.replace(
    /[&<>"'\u00a0-\u00ff]/g,
    (character) => ENTITIES[character] ?? `&#${String(character.charCodeAt(0))};`,
  );
}
