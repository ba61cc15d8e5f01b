import { type HttpResponse, pageHeaders } from '../../http';
import { type InlineText, html, Html, NOTHING } from './html';
import { STYLE_SHEET } from './style-sheet';

export interface Link {
  readonly text: string;
  readonly href: string;
}

export interface Page {
  readonly status: number;
  readonly cacheControl: string;
  readonly title: string;
  /** What is above this page, the topmost first. */
  readonly trail?: readonly Link[];
  readonly content: Html;
  readonly scripts?: readonly InlineText[];
  /** Whether its scripts may send requests, and then only to this server. */
  readonly sendsRequests?: boolean;
}

/** A picture in the page itself keeps browsers from asking for /favicon.ico. */
export const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b5cad"/>' +
      '<path d="M6 4.5 2.5 8 6 11.5M10 4.5 13.5 8 10 11.5" fill="none" stroke="#fff" stroke-width="1.6"/></svg>',
  );

/** Builds a page: complete in itself, with a policy that lets it load and run nothing else. */
export function page({
  status,
  cacheControl,
  title,
  trail = [],
  content,
  scripts = [],
  ...rest
}: Page): HttpResponse {
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<style>${new Html(STYLE_SHEET.text)}</style>
</head>
<body>
${trailOf(trail, title)}<main>
${content}
</main>
${scripts.map(({ text }) => html`<script>${new Html(text)}</script>\n`)}</body>
</html>
`;
  const policy = policyFor(scripts, rest.sendsRequests ?? false);
  return { status, headers: pageHeaders(cacheControl, policy), body: document.text };
}

function trailOf(trail: readonly Link[], title: string): Html {
  if (trail.length === 0) return NOTHING;
  const links = trail.map(({ text, href }) => html`<li><a href="${href}">${text}</a></li>`);
  return html`<nav aria-label="Breadcrumb"><ol>${links}<li aria-current="page">${title}</li></ol></nav>\n`;
}

function policyFor(scripts: readonly InlineText[], sendsRequests: boolean): string {
  return [
    "default-src 'none'",
    `style-src ${STYLE_SHEET.source}`,
    ...(scripts.length === 0 ? [] : [`script-src ${scripts.map(({ source }) => source).join(' ')}`]),
    'img-src data:',
    ...(sendsRequests ? ["connect-src 'self'"] : []),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
