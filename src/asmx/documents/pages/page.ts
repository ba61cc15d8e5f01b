import { type Content, html, Html, NOTHING } from '../../../support/html';
import {
  contentPolicy,
  htmlDocument,
  inlineText,
  type InlineText,
  STYLE_SHEET,
  styleElement,
} from '../../../support/html-page';
import type { ServiceContract } from '../../contract/operation';
import type { PublicAddress } from '../../http/public-address';
import type { HttpResponse } from '../../http/response';
import { pageHeaders } from '../../http/response-headers';

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

/** Builds a complete page whose policy allows nothing but its own content. */
export function page({
  status,
  cacheControl,
  title,
  trail = [],
  content,
  scripts = [],
  sendsRequests = false,
}: Page): HttpResponse {
  const inlined = scripts.map(({ text }) => html`<script>${new Html(text)}</script>\n`);
  const body = htmlDocument({
    language: 'en',
    title,
    head: styleElement(STYLE_SHEET.text),
    body: html`${breadcrumb(trail, title)}<main>\n${content}\n</main>\n${inlined}`,
  });
  const policy = contentPolicy({
    'style-src': STYLE_SHEET.source,
    ...(scripts.length > 0 && { 'script-src': scripts.map(({ source }) => source).join(' ') }),
    ...(sendsRequests && { 'connect-src': "'self'" }),
  });
  return { status, headers: pageHeaders(cacheControl, policy), body };
}

function breadcrumb(trail: readonly Link[], title: string): Html {
  if (trail.length === 0) return NOTHING;
  const links = trail.map(({ text, href }) => html`<li><a href="${href}">${text}</a></li>`);
  return html`<nav aria-label="Breadcrumb"><ol>${links}<li aria-current="page">${title}</li></ol></nav>\n`;
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
interface PageChoice {
  readonly value: string;
  readonly text: string;
}

/** Returns a group of options, the first one selected; scripts show it and react to it. */
export function choices(id: string, label: string, name: string, offered: readonly PageChoice[]): Html {
  const inputs = offered.map(
    ({ value, text }, index) =>
      html`<label><input type="radio" name="${name}" value="${value}"${index === 0 ? html` checked` : ''}>\
<span>${text}</span></label>\n`,
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
