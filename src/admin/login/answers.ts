import type { Request, Response } from 'express';

/** Answers with a line of text. */
export function refuse(response: Response, status: number, text: string): void {
  response.status(status).set('Cache-Control', 'no-store').type('text/plain').send(`${text}\n`);
}

/** Whether a browser says that a page of another site sent what could change something. */
export function isOfOtherPage({ method, headers }: Request): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** No address of this server begins so; it only tells whether a path leads to another one. */
const HERE = 'http://here.invalid';
const OUTSIDE = /^\/(?:\/|log(?:in|out)$)/;

/** Where a visitor wanted to go, as far as that is a page of this server and not the log-in itself: else the first page. */
export function pathWithin(wanted: string): string {
  if (!URL.canParse(wanted, HERE)) return '/';
  const { origin, pathname, search } = new URL(wanted, HERE);
  return origin !== HERE || OUTSIDE.test(pathname) ? '/' : pathname + search;
}
