import { createHash } from 'node:crypto';

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
