import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

import type { CookieOptions, Request, Response } from 'express';

import { readForwardedRequest } from '../../asmx';

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

/** How long somebody stays logged in. */
const SESSION_MS = 8 * 60 * 60_000;
/** More people than there are operators; who logs in then logs out whoever logged in first. */
const MOST_SESSIONS = 1000;

/** From a log-in to its end. */
export interface Session {
  readonly id: string;
  readonly name: string;
  /** The user's, with which they logged in. */
  readonly secret: string;
  /** Of the forms in their pages. */
  readonly token: string;
}

interface Kept extends Session {
  readonly timer: NodeJS.Timeout;
  /** What is still being answered: streams last as long as their pages. */
  readonly answers: Set<() => void>;
}

/** Who is logged in; of this process, which alone serves the operator's pages. */
export class Sessions {
  readonly #kept = new Map<string, Kept>();

  begin(name: string, secret: string): Session {
    const [first] = this.#kept.keys();
    if (first !== undefined && this.#kept.size >= MOST_SESSIONS) this.end(first);
    const id = randomToken();
    const timer = setTimeout(() => {
      this.end(id);
    }, SESSION_MS).unref();
    const session = { id, name, secret, token: randomToken(), timer, answers: new Set<() => void>() };
    this.#kept.set(id, session);
    return session;
  }

  find(id: string): Session | undefined {
    return this.#kept.get(id);
  }

  /** Nobody is logged in by it any more, and what is still being answered to it is cut off. */
  end(id: string): void {
    const session = this.#kept.get(id);
    if (session === undefined) return;
    this.#kept.delete(id);
    clearTimeout(session.timer);
    for (const cut of session.answers) cut();
  }

  /** Ends all that are not to stay. */
  endUnless(stays: (session: Session) => boolean): void {
    for (const session of [...this.#kept.values()]) if (!stays(session)) this.end(session.id);
  }

  /**
   * Has an answer cut off when its session ends.
   *
   * @returns to be called when it is complete
   */
  answering(id: string, cut: () => void): () => void {
    const answers = this.#kept.get(id)?.answers;
    answers?.add(cut);
    return () => {
      answers?.delete(cut);
    };
  }
}

/** What nobody guesses: 43 letters and digits that may stand in a cookie and in a form. */
export function randomToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Compares secrets in a time that does not tell how near they are. */
export function isSame(one: string, other: string): boolean {
  const [first, second] = [one, other].map((text) => createHash('sha256').update(text).digest());
  return first !== undefined && second !== undefined && timingSafeEqual(first, second);
}
