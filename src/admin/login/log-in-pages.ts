import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';

import { placeOf } from '../../access';
import { clientAddress } from '../../asmx';
import { pathWithin, refuse } from './answers';
import { deviceOf, rememberDevice } from './device-cookie';
import type { LogIn } from './log-in';
import { LOG_IN_POLICY, logInPage } from './log-in-page';
import { setCookie } from './session-cookie';
import type { Session } from './sessions';

const LONGEST_FORM = '8kb';
const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': LOG_IN_POLICY,
  'Referrer-Policy': 'same-origin',
};

export type Fields = Readonly<Record<string, string | number>>;

export interface LogInPagesOptions {
  readonly logIn: LogIn;
  /** The hash of a user's password; undefined where there is no such user. */
  readonly secretOf: (name: string) => string | undefined;
  readonly begin: (name: string) => Session;
  /** Writes a line of the log. */
  readonly tell: (request: Request, message: string, fields: Fields) => void;
}

/** The page on which visitors log in, and the way there. */
export class LogInPages {
  readonly #options: LogInPagesOptions;
  readonly #readBody: RequestHandler = express.urlencoded({ extended: false, limit: LONGEST_FORM });

  constructor(options: LogInPagesOptions) {
    this.#options = options;
  }

  /** Sends a visitor who is not logged in to the page; what reads metrics reads no pages. */
  sendTo(request: Request, response: Response): void {
    if (request.path === '/metrics') {
      response.set('WWW-Authenticate', 'Bearer');
      refuse(response, 401, 'The metrics are for those who have ADMIN_METRICS_TOKEN, or are logged in.');
      return;
    }
    const to = request.method === 'GET' ? pathWithin(request.originalUrl) : '/';
    response.set('Cache-Control', 'no-store');
    response.redirect(303, to === '/' ? '/login' : `/login?to=${encodeURIComponent(to)}`);
  }

  serve(request: Request, response: Response, next: NextFunction): void {
    if (request.method === 'POST') {
      this.readForm(request, response, next, (form) => this.#logIn(request, response, form));
      return;
    }
    const { to } = request.query;
    show(response, 200, typeof to === 'string' ? to : '/');
  }

  /** @param use - what is done with the form; all its fields are texts, empty where they are missing */
  readForm(
    request: Request,
    response: Response,
    next: NextFunction,
    use: (form: Form) => void | Promise<void>,
  ): void {
    this.#readBody(request, response, (error?: unknown) => {
      if (error !== undefined) {
        refuse(response, 400, 'The form cannot be read.');
        return;
      }
      Promise.resolve(use(formOf(request.body))).catch(next);
    });
  }

  async #logIn(request: Request, response: Response, { name, password, to }: Form): Promise<void> {
    const { logIn, secretOf, begin, tell } = this.#options;
    const place = placeOf(clientAddress(request));
    const secret = secretOf(name);
    const device = secret === undefined ? undefined : deviceOf(request, { name, secret });
    const result = await logIn.try(name, password, device, place, request.socket);
    if ('user' in result) {
      tell(request, 'console log-in', { user: result.user });
      setCookie(request, response, begin(result.user).id);
      rememberDevice(request, response, { name: result.user, secret: secretOf(result.user) ?? '' });
      response.set('Cache-Control', 'no-store').redirect(303, pathWithin(to));
      return;
    }
    const { retryAfter } = result;
    // What was typed as a name may be a password.
    tell(request, 'console log-in refused', { reason: retryAfter > 0 ? 'too many attempts' : 'wrong' });
    if (retryAfter > 0) response.set('Retry-After', String(retryAfter));
    show(
      response,
      retryAfter > 0 ? 429 : 403,
      to,
      retryAfter > 0
        ? `There were too many attempts. Try again in ${String(retryAfter)} seconds, or in a browser in which you have logged in before.`
        : 'Name or password is wrong.',
    );
  }
}

type Form = Readonly<Record<'name' | 'password' | 'to' | 'token', string>>;

function formOf(body: unknown): Form {
  const field = (name: string): string => {
    const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
    return typeof value === 'string' ? value : '';
  };
  return { name: field('name'), password: field('password'), to: field('to'), token: field('token') };
}

function show(response: Response, status: number, to: string, problem?: string): void {
  response
    .status(status)
    .set(PAGE_HEADERS)
    .send(logInPage({ to: pathWithin(to), problem }));
}
