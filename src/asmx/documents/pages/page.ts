import { hash } from 'node:crypto';

import type { ServiceContract } from '../../contract/operation';
import type { PublicAddress } from '../../http/addresses';
import { type HttpResponse, pageHeaders } from '../../http/response';
import { escapeAttribute } from '../../xml/xml-characters';

/** Text that is already markup. */
export class Html {
  constructor(readonly text: string) {}
}

/** Content of markup: plain text, markup, or a sequence of them. */
export type Content = string | Html | readonly Content[];

export const NOTHING = new Html('');

/**
 * Tags a template that is HTML. Inserted values are escaped unless they are markup, for element content and for
 * double-quoted attribute values alike.
 */
export function html(pieces: TemplateStringsArray, ...contents: readonly Content[]): Html {
  let text = pieces[0] ?? '';
  contents.forEach((content, index) => {
    text += toText(content) + (pieces[index + 1] ?? '');
  });
  return new Html(text);
}

function toText(content: Content): string {
  if (typeof content === 'string') return escapeAttribute(content);
  return content instanceof Html ? content.text : content.map(toText).join('');
}

/** An inline style sheet or script. */
export interface InlineText {
  readonly text: string;
  /** Hash by which a Content-Security-Policy allows it. */
  readonly source: string;
}

/**
 * Prepares a style sheet or script for inlining. A page then needs no second request and works behind any proxy prefix,
 * and its policy allows exactly this text.
 */
export function inlineText(text: string): InlineText {
  return { text, source: `'sha256-${hash('sha256', text, 'base64')}'` };
}

/** The one style sheet of all pages: system fonts, light and dark, one column that fits a phone. */
export const STYLE_SHEET = inlineText(`
:root {
  color-scheme: light dark;
  --ground: #f6f8fa; --surface: #fff; --sunken: #f0f3f6; --line: #d0d7de;
  --text: #1b1f24; --quiet: #57606a; --accent: #0b5cad; --on-accent: #fff; --gap: #953800; --good: #1a7f37; --bad: #b42318; --tag: #0b5cad; --value: #57606a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1217; --surface: #161b22; --sunken: #0b0f14; --line: #30363d;
    --text: #e6edf3; --quiet: #9aa5b1; --accent: #7ab7ff; --on-accent: #0b1420; --gap: #ffb17a; --good: #56d364; --bad: #ff8f85; --tag: #7ab7ff; --value: #9aa5b1;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
main, nav { max-width: 60rem; margin: 0 auto; padding: 0 1.25rem; }
main { padding-bottom: 4rem; }
nav { padding-top: 1.25rem; font-size: .9rem; color: var(--quiet); }
nav ol { display: flex; flex-wrap: wrap; gap: .25rem .5rem; margin: 0; padding: 0; list-style: none; }
nav li + li::before { content: "/" / ""; margin-right: .5rem; color: var(--quiet); }
h1 { margin: 1.5rem 0 .5rem; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.3rem; line-height: 1.3; }
h3 { margin: 0 0 .25rem; font-size: 1.05rem; }
p { margin: .5rem 0; max-width: 46rem; }
a { color: var(--accent); text-underline-offset: .15em; }
a:focus-visible, button:focus-visible, input:focus-visible, pre:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.quiet { color: var(--quiet); }
.good { color: var(--good); } .bad { color: var(--bad); }
.good, .bad { font-weight: 600; }
code, pre, var { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-style: normal; }
code { font-size: .9em; }
pre { margin: 0; padding: .85rem 1rem; border: 1px solid var(--line); border-radius: 8px; background: var(--sunken); font-size: .82rem; line-height: 1.5; white-space: pre-wrap; overflow-wrap: normal; max-height: 26rem; overflow: auto; }
pre .tag { color: var(--tag); } pre .value { color: var(--value); }
var { color: var(--gap); font-weight: 600; }
.card { margin: 1rem 0; padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); }
.cards { display: grid; gap: 1rem; margin: 0; padding: 0; list-style: none; }
.cards .card { margin: 0; }
.card > :first-child { margin-top: 0; } .card > :last-child { margin-bottom: 0; }
summary { padding: .45rem 0; cursor: pointer; font-weight: 600; }
details + details { border-top: 1px solid var(--line); }
details > :last-child { margin-bottom: .85rem; }
.links { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; }
.card .links .quiet { flex-basis: 100%; font-size: .85rem; }
table { width: 100%; border-collapse: collapse; font-size: .95rem; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-size: .85rem; font-weight: 600; }
tbody th { width: 42%; font-weight: 400; }
tr:last-child > * { border-bottom: 0; }
.title { display: flex; align-items: end; justify-content: space-between; gap: 1rem; min-height: 2.6rem; padding: .6rem 0 .35rem; }
.card > .title:first-child { min-height: 0; padding-top: 0; }
.title h3 { font-size: .85rem; font-weight: 600; color: var(--quiet); }
button { padding: .45rem 1rem; border: 1px solid var(--accent); border-radius: 8px; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button[data-copy] { padding: .1rem .6rem; border-color: var(--line); background: var(--surface); color: var(--text); font-size: .8rem; font-weight: 400; }
button[data-copy]:hover { border-color: var(--accent); }
button:disabled { opacity: .6; cursor: default; }
.field label { padding: 0; font-size: .9rem; font-weight: 600; }
.choices { display: flex; flex-wrap: wrap; gap: .25rem; }
.choices label { position: relative; }
.choices input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; cursor: pointer; }
.choices span { display: block; padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 999px; background: var(--surface); font-size: .85rem; }
.choices label:hover span { border-color: var(--accent); }
.choices :checked + span { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.choices :focus-visible + span { outline: 2px solid var(--accent); outline-offset: 2px; }
#binding-choice { position: sticky; top: 0; z-index: 1; margin-top: 2rem; padding: .6rem 0; background: var(--ground); }
@media (max-width: 40rem) { #samples pre:not([id$="-curl"]), #test-answer pre:not(.raw) { white-space: pre; } }
@media (max-width: 26rem) { #binding-choice { gap: .15rem; } #binding-choice span { padding: .2rem .35rem; font-size: .8rem; } }
#view-choice { margin-left: auto; }
#view-choice span { padding: .1rem .6rem; font-size: .8rem; }
.parameters dt { margin-top: .9rem; font-weight: 600; } .parameters dt:first-child { margin-top: 0; }
.parameters dd { margin: .1rem 0 0; max-width: 46rem; }
.operations { margin: .5rem 0; padding: 0; list-style: none; }
.operations li { margin: .25rem 0; }
.send { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; }
.lead { font-size: 1.1rem; }
.field { display: grid; gap: .25rem; margin: 0 0 1rem; }
.field input { width: 100%; max-width: 30rem; padding: .45rem .65rem; border: 1px solid var(--quiet); border-radius: 8px; background: var(--ground); color: var(--text); font: inherit; }
.field input[maxlength="1"] { max-width: 5rem; }
[hidden] { display: none; }
`);

interface Link {
  readonly text: string;
  readonly href: string;
}

interface Page {
  readonly status: number;
  readonly cacheControl: string;
  readonly title: string;
  /** Breadcrumb links to the pages above this one, topmost first. */
  readonly trail?: readonly Link[];
  readonly content: Html;
  readonly scripts?: readonly InlineText[];
  /** Allows scripts to send requests, to this server only. */
  readonly sendsRequests?: boolean;
}

/** An inline icon keeps browsers from requesting /favicon.ico. */
export const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b5cad"/>' +
      '<path d="M6 4.5 2.5 8 6 11.5M10 4.5 13.5 8 10 11.5" fill="none" stroke="#fff" stroke-width="1.6"/></svg>',
  );

/** Builds a complete page whose policy allows nothing but its own content. */
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
${breadcrumb(trail, title)}<main>
${content}
</main>
${scripts.map(({ text }) => html`<script>${new Html(text)}</script>\n`)}</body>
</html>
`;
  const policy = policyFor(scripts, rest.sendsRequests ?? false);
  return { status, headers: pageHeaders(cacheControl, policy), body: document.text };
}

function breadcrumb(trail: readonly Link[], title: string): Html {
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

/**
 * Returns a scrolling box with a text and a button that copies it.
 *
 * @param id distinguishes the boxes of a page
 * @param title label of the text: "Request"
 * @param beside content between title and button
 */
export function codeBlock(id: string, title: string, content: Content, beside: Content = ''): Html {
  return html`<div class="title"><h3 id="${id}-title">${title}</h3>${beside}
<button type="button" data-copy="${id}" aria-describedby="${id}-title" hidden>Copy</button></div>
<pre id="${id}" tabindex="0" role="group" aria-labelledby="${id}-title">${content}</pre>
`;
}

/** Allows line breaks in a name between its words, for narrow screens. */
export function breakable(name: string): Html {
  const words = name.split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[_./])(?=[^_./])/);
  return html`${words.map((word, index) => (index === 0 ? word : html`<wbr>${word}`))}`;
}

/** One of several options side by side. */
interface Choice {
  readonly value: string;
  readonly text: string;
}

/** Returns a group of options, the first one selected; scripts show it and react to it. */
export function choices(id: string, label: string, name: string, offered: readonly Choice[]): Html {
  const inputs = offered.map(
    ({ value, text }, index) =>
      html`<label><input type="radio" name="${name}" value="${value}"${index === 0 ? html` checked` : ''}><span>${text}</span></label>\n`,
  );
  return html`<div id="${id}" class="choices" role="radiogroup" aria-label="${label}" hidden>
${inputs}</div>
`;
}

/** Makes the copy buttons work; they stay hidden without this script. */
export const COPY_SCRIPT = inlineText(String.raw`
(() => {
  'use strict';
  const SHOWN_MS = 2000;

  // The clipboard is available only over https and on localhost; copying the selection works everywhere.
  const copySelected = (source) => {
    const range = document.createRange();
    range.selectNodeContents(source);
    const selection = getSelection();
    selection.removeAllRanges();
    selection.addRange(range);
    const copied = document.execCommand('copy');
    if (copied) selection.removeAllRanges();
    return copied;
  };

  const copy = async (source) => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      return true;
    } catch {
      return copySelected(source);
    }
  };

  for (const button of document.querySelectorAll('button[data-copy]')) {
    button.hidden = false;
    button.setAttribute('aria-live', 'polite');
    button.addEventListener('click', async () => {
      const copied = await copy(document.getElementById(button.dataset.copy));
      button.textContent = copied ? 'Copied' : 'Selected: press Ctrl+C';
      setTimeout(() => { button.textContent = 'Copy'; }, SHOWN_MS);
    });
  }
})();
`);

export interface EndpointAddress extends PublicAddress {
  /** Path of the endpoint, prefix included. */
  readonly path: string;
  /** Absolute URL of the endpoint. */
  readonly url: string;
}

/** @param path the endpoint's path on this server, as requested */
export function endpointAddress(server: PublicAddress, path: string): EndpointAddress {
  const { protocol, authority, prefix } = server;
  const fullPath = prefix + encodeURI(path);
  return { ...server, path: fullPath, url: `${protocol}://${authority}${fullPath}` };
}

// Links are relative, so that they work behind any proxy prefix.

export const TOP: Link = { text: 'All services', href: './' };

/** Returns the link to an endpoint's page from itself and from its operations' pages. */
export function pageFile({ path }: EndpointAddress): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function serviceTitle({ name }: ServiceContract): string {
  return `${name} Web Service`;
}

export function documentLinks(file: string): Html {
  return html`<p class="links"><span class="quiet">Documents</span>
<a href="${file}?WSDL">Service Description</a>
<a href="${file}?disco">Discovery document</a></p>
`;
}
