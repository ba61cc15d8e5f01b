import { createHash, createHmac } from 'node:crypto';

import type { Request, Response } from 'express';

import { cookieOptions, isSame, randomToken } from './sessions';

/** Maximum lifetime of a cookie in browsers. */
const KEPT_MS = 400 * 24 * 60 * 60_000;

/** A user who may log in. */
interface DeviceUser {
  readonly name: string;
  /** The hash of the user's password. A new password makes all of the user's devices unknown again. */
  readonly secret: string;
}

/**
 * Returns the id of the browser if this user has logged in from it before; undefined for an unknown one. (OWASP, Slow
 * Down Online Guessing Attacks with Device Cookies.)
 */
export function deviceOf({ headers }: Request, user: DeviceUser): string | undefined {
  const prefix = `${cookieName(user)}=`;
  const cookies = (headers.cookie ?? '').split(/; */);
  const value = cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length) ?? '';
  const [, nonce, signature] = /^([\w-]{43})\.([\w-]{43})$/.exec(value) ?? [];
  if (nonce === undefined || signature === undefined) return undefined;
  return isSame(signature, signatureOf(nonce, user)) ? nonce : undefined;
}

/** Sets the device cookie. Browsers send it with log-ins only, and it grants no access by itself. */
export function rememberDevice(request: Request, response: Response, user: DeviceUser): void {
  const nonce = randomToken();
  response.cookie(cookieName(user), `${nonce}.${signatureOf(nonce, user)}`, {
    ...cookieOptions(request),
    path: '/login',
    maxAge: KEPT_MS,
  });
}

/** Each user of a browser has a separate cookie. */
function cookieName({ name }: DeviceUser): string {
  return `console_device_${createHash('sha256').update(name).digest('hex').slice(0, 16)}`;
}

function signatureOf(nonce: string, { name, secret }: DeviceUser): string {
  return createHmac('sha256', secret).update(`console device\n${name}\n${nonce}`).digest('base64url');
}
