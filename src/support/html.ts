/** Text that is already markup. */
export class Html {
  constructor(readonly text: string) {}
}

/** Content of markup: plain text, markup, or a sequence of them. */
export type Content = string | Html | readonly Content[];

export const NOTHING = new Html('');

/**
 * Tags a template that is HTML. Inserted values are escaped unless they are markup, for element content and
 * for double-quoted attribute values alike.
 */
export function html(pieces: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let text = pieces[0] ?? '';
  contents.forEach((content, index) => {
    text += toText(content) + (pieces[index + 1] ?? '');
  });
  return new Html(text);
}

function toText(content: Content): string {
  if (typeof content === 'string') return escaped(content);
  return content instanceof Html ? content.text : content.map(toText).join('');
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Special characters of markup, and control characters, which a browser would drop. */
const ESCAPED = /[&<>"\p{Cc}]/gu;

function escaped(text: string): string {
  return text.replace(ESCAPED, (character) => ENTITIES[character] ?? reference(character));
}

function reference(character: string): string {
  return /\s/.test(character) ? character : `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`;
}
