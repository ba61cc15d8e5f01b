import type { CookieOptions, Request, Response } from 'express';

import { readForwardedRequest } from '../../asmx';
import { SESSION_MS } from './sessions';

const NAME = 'console_session';
const VALUE = /(?:^|;) *console_session=([\w-]{43})(?:;|$)/;

/** The session that a browser says it has; undefined for none. */
export function sessionIdOf({ headers }: Request): string | undefined {
  return VALUE.exec(headers.cookie ?? '')?.[1];
}

/** Has the browser send it with each request of these pages, and with none of others. */
export function setCookie(request: Request, response: Response, id: string): void {
  response.cookie(NAME, id, { ...cookieOptions(request), maxAge: SESSION_MS });
}

export function clearCookie(request: Request, response: Response): void {
  response.clearCookie(NAME, cookieOptions(request));
}

/** The port itself speaks no TLS: a proxy before it may. */
export function cookieOptions(request: Request): CookieOptions {
  const secure = readForwardedRequest(request)?.protocol === 'https';
  return { httpOnly: true, sameSite: 'strict', secure, path: '/' };
}
