import { hash } from 'node:crypto';

import { type Content, Html, html } from './html';

/** An inline style sheet or script. */
export interface InlineText {
  readonly text: string;
  /** Hash by which a Content-Security-Policy allows it. */
  readonly source: string;
}

/**
 * Prepares a style sheet or script for inlining. A page then needs no second request and works behind any
 * proxy prefix, and its policy allows exactly this text.
 */
export function inlineText(text: string): InlineText {
  return { text, source: `'sha256-${hash('sha256', text, 'base64')}'` };
}

/** The one style sheet of all pages: system fonts, light and dark, one column that fits a phone. */
export const STYLE_SHEET = inlineText(`
:root {
  color-scheme: light dark;
  --ground: #f6f8fa; --surface: #fff; --sunken: #f0f3f6; --line: #d0d7de;
  --text: #1b1f24; --quiet: #57606a; --accent: #0b5cad; --on-accent: #fff; --gap: #953800; --good: #1a7f37; \
--bad: #b42318; --tag: #0b5cad; --value: #57606a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0e1217; --surface: #161b22; --sunken: #0b0f14; --line: #30363d;
    --text: #e6edf3; --quiet: #9aa5b1; --accent: #7ab7ff; --on-accent: #0b1420; --gap: #ffb17a; \
--good: #56d364; --bad: #ff8f85; --tag: #7ab7ff; --value: #9aa5b1;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; \
overflow-wrap: break-word; }
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
a:focus-visible, button:focus-visible, input:focus-visible, pre:focus-visible, summary:focus-visible { \
outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
.quiet { color: var(--quiet); }
.good { color: var(--good); } .bad { color: var(--bad); }
.good, .bad { font-weight: 600; }
code, pre, var { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; \
font-style: normal; }
code { font-size: .9em; }
pre { margin: 0; padding: .85rem 1rem; border: 1px solid var(--line); border-radius: 8px; \
background: var(--sunken); font-size: .82rem; line-height: 1.5; white-space: pre-wrap; \
overflow-wrap: normal; max-height: 26rem; overflow: auto; }
pre .tag { color: var(--tag); } pre .value { color: var(--value); }
var { color: var(--gap); font-weight: 600; }
.card { margin: 1rem 0; padding: 1.1rem 1.25rem; border: 1px solid var(--line); border-radius: 12px; \
background: var(--surface); }
.cards { display: grid; gap: 1rem; margin: 0; padding: 0; list-style: none; }
.cards .card { margin: 0; }
.card > :first-child { margin-top: 0; } .card > :last-child { margin-bottom: 0; }
summary { padding: .45rem 0; cursor: pointer; font-weight: 600; }
details + details { border-top: 1px solid var(--line); }
details > :last-child { margin-bottom: .85rem; }
.links { display: flex; flex-wrap: wrap; gap: .1rem 1.1rem; }
.card .links .quiet { flex-basis: 100%; font-size: .85rem; }
table { width: 100%; border-collapse: collapse; font-size: .95rem; }
th, td { padding: .35rem .75rem .35rem 0; border-bottom: 1px solid var(--line); text-align: left; \
vertical-align: top; }
thead th { color: var(--quiet); font-size: .85rem; font-weight: 600; }
tbody th { width: 42%; font-weight: 400; }
tr:last-child > * { border-bottom: 0; }
.title { display: flex; align-items: end; justify-content: space-between; gap: 1rem; min-height: 2.6rem; \
padding: .6rem 0 .35rem; }
.card > .title:first-child { min-height: 0; padding-top: 0; }
.title h3 { font-size: .85rem; font-weight: 600; color: var(--quiet); }
button { padding: .45rem 1rem; border: 1px solid var(--accent); border-radius: 8px; \
background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button[data-copy] { padding: .1rem .6rem; border-color: var(--line); background: var(--surface); \
color: var(--text); font-size: .8rem; font-weight: 400; }
button[data-copy]:hover { border-color: var(--accent); }
button:disabled { opacity: .6; cursor: default; }
.field label { padding: 0; font-size: .9rem; font-weight: 600; }
.choices { display: flex; flex-wrap: wrap; gap: .25rem; }
.choices label { position: relative; }
.choices input { position: absolute; inset: 0; width: 100%; height: 100%; margin: 0; opacity: 0; \
cursor: pointer; }
.choices span { display: block; padding: .2rem .7rem; border: 1px solid var(--line); border-radius: 999px; \
background: var(--surface); font-size: .85rem; }
.choices label:hover span { border-color: var(--accent); }
.choices :checked + span { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
.choices :focus-visible + span { outline: 2px solid var(--accent); outline-offset: 2px; }
#binding-choice { position: sticky; top: 0; z-index: 1; margin-top: 2rem; padding: .6rem 0; \
background: var(--ground); }
@media (max-width: 40rem) { #samples pre:not([id$="-curl"]), #test-answer pre:not(.raw) { white-space: pre; \
} }
@media (max-width: 26rem) { #binding-choice { gap: .15rem; } #binding-choice span { padding: .2rem .35rem; \
font-size: .8rem; } }
#view-choice { margin-left: auto; }
#view-choice span { padding: .1rem .6rem; font-size: .8rem; }
.parameters dt { margin-top: .9rem; font-weight: 600; } .parameters dt:first-child { margin-top: 0; }
.parameters dd { margin: .1rem 0 0; max-width: 46rem; }
.operations { margin: .5rem 0; padding: 0; list-style: none; }
.operations li { margin: .25rem 0; }
.send { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; }
.lead { font-size: 1.1rem; }
.field { display: grid; gap: .25rem; margin: 0 0 1rem; }
.field input { width: 100%; max-width: 30rem; padding: .45rem .65rem; border: 1px solid var(--quiet); \
border-radius: 8px; background: var(--ground); color: var(--text); font: inherit; }
.field input[maxlength="1"] { max-width: 5rem; }
[hidden] { display: none; }
`);

/** An inline icon keeps browsers from requesting /favicon.ico. */
const ICON =
  'data:image/svg+xml,' +
  encodeURIComponent(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#0b5cad"/>' +
      '<path d="M6 4.5 2.5 8 6 11.5M10 4.5 13.5 8 10 11.5" fill="none" stroke="#fff" stroke-width="1.6"/></svg>',
  );

interface HtmlDocument {
  readonly language: string;
  readonly title: string;
  /** Further elements of the head. */
  readonly head: Content;
  /** Attributes of the body, after a blank. */
  readonly attributes?: Html;
  readonly body: Content;
}

/** Returns the text of a complete page. */
export function htmlDocument({ language, title, head, attributes, body }: HtmlDocument): string {
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="${ICON}">
${head}</head>
<body${attributes ?? ''}>
${body}</body>
</html>
`.text;
}

/** Returns an element with an inline style sheet. */
export function styleElement(text: string): Html {
  return html`<style>${new Html(text)}</style>\n`;
}

/**
 * Returns a Content-Security-Policy that allows the icon and nothing else.
 *
 * @param allowed - sources that are allowed all the same, by directive
 */
export function contentPolicy(allowed: Readonly<Record<string, string>>): string {
  const directives = {
    'default-src': "'none'",
    'img-src': 'data:',
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...allowed,
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
}

/** Headers of a page that only one person may see. */
export function privatePageHeaders(policy: string): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'same-origin',
  };
}
