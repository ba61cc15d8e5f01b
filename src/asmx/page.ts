import { pageHeaders, type Answer } from './answer';
import { escapeAttribute } from './xml-text';

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const STYLE =
  'body{font-family:system-ui,sans-serif;line-height:1.5;max-width:50rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}';

/** Builds a page; `body` is markup, `title` is text. */
export function page(status: number, cacheControl: string, title: string, body: string): Answer {
  const text =
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${markup(title)}</title><style>${STYLE}</style></head><body>${body}</body></html>`;
  return { status, headers: pageHeaders(cacheControl, POLICY), body: Buffer.from(text) };
}

/** Escapes text for HTML content and double-quoted attributes. */
export function markup(text: string): string {
  return escapeAttribute(text);
}
