import { html, type Html, NOTHING } from '../../../support/html';
import type { HttpResponse } from '../../http/response';
import { CACHE_ERROR, RETRY_SOON, TOO_BUSY } from '../../http/response-headers';
import { page, TOP } from './page';

/**
 * Returns an HTML page that ASP.NET answers outside the bindings (wire contract, section 1).
 *
 * @param reason for the log; required if the text contains anything from the caller
 */
export function errorPage(status: number, text: string, reason = text): HttpResponse {
  return { ...messagePage(status, text, NOTHING), reason };
}

function messagePage(status: number, text: string, more: Html): HttpResponse {
  return page({ status, cacheControl: CACHE_ERROR, title: text, content: html`<h1>${text}</h1>${more}` });
}

// A mistyped address is never deeper than this.
const MAX_DEPTH = 20;

/**
 * @param url as requested; the page links to the front page relative to it, so that the link works behind any
 * proxy prefix
 */
export function notFoundPage(url: string): HttpResponse {
  const [path = ''] = url.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, '').split('?', 1);
  const depth = Math.min(path.split('/').length - 2, MAX_DEPTH);
  const home = depth > 0 ? '../'.repeat(depth) : TOP.href;
  const text = 'The resource cannot be found.';
  return { ...messagePage(404, text, html`\n<p><a href="${home}">${TOP.text}</a></p>`), reason: text };
}

const notAllowed = errorPage(405, 'Request format is unrecognized.');
export const methodNotAllowedPage: HttpResponse = {
  ...notAllowed,
  headers: [...notAllowed.headers, 'Allow', 'GET, POST'],
};
/** Methods of the front page, which is no endpoint: load balancers probe it by HEAD and OPTIONS. */
const INDEX_METHODS = ['Allow', 'GET, HEAD, OPTIONS'] as const;
export const indexMethods: HttpResponse = { status: 200, headers: [...INDEX_METHODS], body: '' };
const notOfTheIndex = errorPage(405, 'This page supports GET and HEAD only.');
export const indexMethodNotAllowedPage: HttpResponse = {
  ...notOfTheIndex,
  headers: [...notOfTheIndex.headers, ...INDEX_METHODS],
};
export const twoHostsPage = errorPage(400, 'The request names its host more than once.');
export const dangerousPathPage = errorPage(
  500,
  'A potentially dangerous Request.Path value was detected from the client.',
);
export const queryTooLongPage = errorPage(
  400,
  'The length of the query string for this request exceeds the limit.',
);
export const pathTooLongPage = errorPage(400, 'The length of the URL for this request exceeds the limit.');
export const contentTypeTooLongPage = errorPage(
  400,
  'The length of the Content-Type header of this request exceeds the limit.',
);
export const hostNotAllowedPage = errorPage(400, 'This server is not known by the host name of the request.');
export const serverErrorPage = errorPage(500, 'An error occurred on the server.');

const busy = errorPage(503, TOO_BUSY);
export const tooBusyPage: HttpResponse = { ...busy, headers: [...busy.headers, ...RETRY_SOON] };

/** Answers a method other than GET and POST, or a missing operation, below an endpoint's path. */
export function unrecognizedPage(pathInfo: string): HttpResponse {
  const text = `Request format is unrecognized for URL unexpectedly ending in '${pathInfo}'.`;
  return errorPage(500, text, 'Request format is unrecognized for this URL.');
}
