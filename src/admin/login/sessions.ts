import { createHmac, hash, randomBytes } from 'node:crypto';

import type { CookieOptions, Request, Response } from 'express';

import { readForwardedRequest } from '../../asmx/internal';
import { ownText } from '../../support/own-text';
import { isSameSecret } from '../../support/same-secret';

const NAME = 'console_session';
const VALUE = /(?:^|;) *console_session=([\w-]{43})(?:;|$)/;

/** Returns the session id in a browser's cookie; empty without one. */
export function readSessionId({ headers }: Request): string {
  return VALUE.exec(headers.cookie ?? '')?.[1] ?? '';
}

/** Sets the session cookie, for requests from the console's own pages only. */
export function setCookie(request: Request, response: Response, id: string): void {
  response.cookie(NAME, id, { ...cookieOptions(request), maxAge: SESSION_MS });
}

export function clearCookie(request: Request, response: Response): void {
  response.clearCookie(NAME, cookieOptions(request));
}

/** Marks cookies secure behind a proxy with TLS: the port itself uses none. */
function cookieOptions(request: Request): CookieOptions {
  const secure = readForwardedRequest(request)?.protocol === 'https';
  return { httpOnly: true, sameSite: 'strict', secure, path: '/' };
}

const SESSION_MS = 8 * 60 * 60_000;
/** Maximum number of sessions, more than there are operators; a further one ends the oldest. */
const MAX_SESSIONS = 1000;

export interface Session {
  readonly id: string;
  readonly name: string;
  /** Hash of the password used to log in. */
  readonly secret: string;
  /** Token of the forms in its pages. */
  readonly token: string;
}

interface OpenSession extends Session {
  readonly timer: NodeJS.Timeout;
  /** Functions that end responses in progress: streams last as long as their pages. */
  readonly answers: Set<() => void>;
}

/** Current sessions in this process, the only one that serves the console. */
export class Sessions {
  readonly #open = new Map<string, OpenSession>();

  begin(name: string, secret: string): Session {
    const [first] = this.#open.keys();
    if (first !== undefined && this.#open.size >= MAX_SESSIONS) this.end(first);
    const id = randomToken();
    const timer = setTimeout(() => {
      this.end(id);
    }, SESSION_MS).unref();
    const session = {
      id,
      name: ownText(name),
      secret,
      token: randomToken(),
      timer,
      answers: new Set<() => void>(),
    };
    this.#open.set(id, session);
    return session;
  }

  find(id: string): Session | undefined {
    return this.#open.get(id);
  }

  /** Ends a session, and cuts off its responses in progress. */
  end(id: string): void {
    const session = this.#open.get(id);
    if (session === undefined) return;
    this.#open.delete(id);
    clearTimeout(session.timer);
    for (const cut of session.answers) cut();
  }

  /** Ends all sessions except those to keep. */
  endUnless(stays: (session: Session) => boolean): void {
    for (const session of [...this.#open.values()]) if (!stays(session)) this.end(session.id);
  }

  /**
   * Registers a response to cut off when its session ends.
   *
   * @returns a function to call when it is complete
   */
  answering(id: string, cut: () => void): () => void {
    const answers = this.#open.get(id)?.answers;
    answers?.add(cut);
    return () => {
      answers?.delete(cut);
    };
  }
}

/** Returns an unguessable token: 43 characters that are safe in a cookie and in a form. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Maximum lifetime of a cookie in browsers. */
const DEVICE_MS = 400 * 24 * 60 * 60_000;

/** A user who may log in. */
interface DeviceUser {
  readonly name: string;
  /** The hash of the user's password. A new password makes all of the user's devices unknown again. */
  readonly secret: string;
}

/**
 * Returns the id of the browser if this user has logged in from it before; undefined for an unknown one.
 * (OWASP, Slow Down Online Guessing Attacks with Device Cookies.)
 */
export function readDevice({ headers }: Request, user: DeviceUser): string | undefined {
  const prefix = `${deviceCookieName(user)}=`;
  const cookies = (headers.cookie ?? '').split(/; */);
  const value = cookies.find((cookie) => cookie.startsWith(prefix))?.slice(prefix.length) ?? '';
  const [, nonce, signature] = /^([\w-]{43})\.([\w-]{43})$/.exec(value) ?? [];
  if (nonce === undefined || signature === undefined) return undefined;
  return isSameSecret(signature, deviceSignature(nonce, user)) ? nonce : undefined;
}

/** Sets the device cookie. Browsers send it with log-ins only, and it grants no access by itself. */
export function rememberDevice(request: Request, response: Response, user: DeviceUser): void {
  const nonce = randomToken();
  response.cookie(deviceCookieName(user), `${nonce}.${deviceSignature(nonce, user)}`, {
    ...cookieOptions(request),
    path: '/login',
    maxAge: DEVICE_MS,
  });
}

function deviceCookieName({ name }: DeviceUser): string {
  return `console_device_${hash('sha256', name, 'hex').slice(0, 16)}`;
}

function deviceSignature(nonce: string, { name, secret }: DeviceUser): string {
  return createHmac('sha256', secret).update(`console device\n${name}\n${nonce}`).digest('base64url');
}
