import { createHash } from 'node:crypto';
import { escapeAttribute } from '../../xml';

/** Text that is markup already. */
export class Html {
  constructor(readonly text: string) {}
}

/** What may be put into markup: plain text, markup, or a row of them. */
export type Content = string | Html | readonly Content[];

export const NOTHING = new Html('');

/**
 * Tags a template that is HTML. Whatever is put into it is escaped unless it is markup itself, for element
 * content and for attribute values in double quotes alike.
 */
export function html(pieces: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let text = pieces[0] ?? '';
  contents.forEach((content, index) => {
    text += textOf(content) + (pieces[index + 1] ?? '');
  });
  return new Html(text);
}

function textOf(content: Content): string {
  if (typeof content === 'string') return escapeAttribute(content);
  return content instanceof Html ? content.text : content.map(textOf).join('');
}

/** A style sheet or script that stands in the page itself. */
export interface InlineText {
  readonly text: string;
  /** What a Content-Security-Policy names it by. */
  readonly source: string;
}

/**
 * Prepares a style sheet or script for standing in pages. A page then needs no second request, works under any
 * path that a proxy gives it, and its policy admits exactly this text.
 */
export function inlineText(text: string): InlineText {
  return { text, source: `'sha256-${createHash('sha256').update(text).digest('base64')}'` };
}
