import type { Response } from 'express';

import { html, type Html, ICON, NOTHING } from '../../asmx';
import { hiddenFields } from './page-parts';
import type { Seen } from './visitor';

/** The pages that every page leads to. */
const SECTIONS = {
  '/': 'Overview',
  '/messages': 'Messages',
  '/requests': 'Requests',
  '/schools': 'Schools',
  '/usage': 'Usage',
  '/callers': 'Callers',
  '/settings': 'Settings',
} as const;
export type Section = keyof typeof SECTIONS;

export interface ConsolePage {
  readonly title: string;
  /** Where the page belongs. */
  readonly section: Section;
  readonly content: Html;
  readonly status?: number;
  /** Address of the stream that brings the page's parts again. */
  readonly live?: string | undefined;
  /** Time zone in which its plots are drawn. */
  readonly zone?: string;
}

/** Everything comes from this server, scripts and styles from files of the package. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'same-origin',
};

/** Answers with a page. */
export function sendPage(response: Response, seen: Seen, page: ConsolePage): void {
  response.status(page.status ?? 200).set(HEADERS);
  response.send(pageText(page, seen));
}

function pageText({ title, section, content, live, zone }: ConsolePage, seen: Seen): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Console</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="/assets/console.css">
<link rel="stylesheet" href="/assets/uplot.css">
<script defer src="/assets/uplot.js"></script>
<script defer src="/assets/console.js"></script>
</head>
<body${live === undefined ? NOTHING : html` data-live="${live}"`}${zone === undefined ? NOTHING : html` data-zone="${zone}"`}>
<a class="skip" href="#content">Skip to the content</a>
<header class="head">
<nav aria-label="Console"><ul>${Object.entries(SECTIONS).map(([path, name]) => navLink(path, name, section))}</ul></nav>
${visitorPart(seen)}</header>
<main id="content">
${content}
</main>
</body>
</html>
`.text;
}

function navLink(path: string, name: string, section: Section): Html {
  return html`<li><a href="${path}"${path === section ? html` aria-current="page"` : NOTHING}>${name}</a></li>`;
}

function visitorPart({ name, role, canLogOut, token }: Seen): Html {
  if (name === undefined) return NOTHING;
  const logOut = canLogOut
    ? html`<form method="post" action="/logout">${hiddenFields({ token })}<button class="plain">Log out</button></form>`
    : NOTHING;
  return html`<div class="visitor"><span>${name} (${role})</span>${logOut}</div>\n`;
}
