import type { RawResponse } from '../../../scripts/harness';

/** The content of the first element with an id, as markup; the element holds none of its own kind. */
export function markupOf({ text }: RawResponse, id: string): string {
  const start =
    new RegExp(`<(\\w+) id="${id}"[^>]*>`).exec(text) ?? new RegExp(`<(\\w+)[^>]* id="${id}">`).exec(text);
  if (start === null) throw new Error(`The page has no element ${id}`);
  const from = start.index + start[0].length;
  return text.slice(from, text.indexOf(`</${start[1] ?? ''}>`, from));
}

/** The text that a visitor sees of an element. */
export function textOf(page: RawResponse, id: string): string {
  return plain(markupOf(page, id));
}

/** Returns what markup shows: no tags, entities resolved. */
export function plain(markup: string): string {
  return markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
