import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';

import { networkKey, Rejected } from '../../access';
import { clientAddress } from '../../asmx/internal';
import { html, NOTHING } from '../../support/html';
import { contentPolicy, htmlDocument, privatePageHeaders } from '../../support/html-page';
import { countPhrase, type Sentence } from '../../support/phrase';
import { languageChoice, languageFor, type Text, Words } from '../texts/words';
import type { ActionName } from './actions';
import type { LogIn } from './log-in';
import { pathWithin } from './path-within';
import { refuse } from './refuse';
import { readDevice, rememberDevice, type Session, setCookie } from './sessions';

interface LogInView {
  /** Path of this server to return to. */
  readonly to: string;
  /** Reason why the login failed; undefined for none. */
  readonly problem?: Sentence<Text> | undefined;
  readonly words: Words;
}

function logInPage({ to, problem, words }: LogInView): string {
  const address = to === '/' ? '/login' : `/login?to=${encodeURIComponent(to)}`;
  return htmlDocument({
    language: words.language,
    title: `${words.t('Log in')} – ${words.t('Console')}`,
    head: html`<link rel="stylesheet" href="/assets/console.css">\n`,
    attributes: html` class="log-in"`,
    body: html`<main>
<div class="card">
<p class="brand">School Notifications</p>
<h1>${words.t('Log in')}</h1>
${problem === undefined ? NOTHING : html`<p role="alert" class="bad">${words.said(problem)}</p>\n`}
<form method="post" action="/login">
<input type="hidden" name="to" value="${to}">
<div class="field"><label for="name">${words.t('Name')}</label>\
<input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required \
autofocus></div>
<div class="field"><label for="password">${words.t('Password')}</label>\
<input id="password" name="password" type="password" autocomplete="current-password" required></div>
<button>${words.t('Log in')}</button>
</form>
</div>
</main>
${languageChoice(words.language, address)}`,
  });
}

const LONGEST_FORM = '8kb';
/** Everything is loaded from this server, and no script runs. */
const PAGE_HEADERS = privatePageHeaders(contentPolicy({ 'style-src': "'self'", 'form-action': "'self'" }));

export type Fields = Readonly<Record<string, string | number>>;

interface LogInPagesOptions {
  readonly logIn: LogIn;
  /** Returns the hash of a user's password; undefined for an unknown user. */
  readonly secretOf: (name: string) => string | undefined;
  /** Begins a session. @param secret - hash that the password matched */
  readonly begin: (name: string, secret: string) => Session;
  /** Logs and records what happened. @param who - user for the record only; default: the logged one */
  readonly tell: (request: Request, action: ActionName, fields: Fields, who?: string) => Promise<void>;
}

export class LogInPages {
  readonly #options: LogInPagesOptions;
  readonly #readBody: RequestHandler = express.urlencoded({ extended: false, limit: LONGEST_FORM });

  constructor(options: LogInPagesOptions) {
    this.#options = options;
  }

  /** Redirects a browser without a session to the login page; metrics clients get an error. */
  sendTo(request: Request, response: Response): void {
    if (request.path === '/metrics') {
      response.set('WWW-Authenticate', 'Bearer');
      refuse(response, 401, 'Metrics require a login, or ADMIN_METRICS_TOKEN as a bearer token.');
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

  /** @param use - handles the form; all its fields are texts, empty if missing */
  readForm(
    request: Request,
    response: Response,
    next: NextFunction,
    use: (form: Form) => void | Promise<void>,
  ): void {
    this.#readBody(request, response, (error?: unknown) => {
      if (error !== undefined) {
        refuse(response, 400, 'Invalid form.');
        return;
      }
      Promise.resolve(use(parseForm(request.body))).catch(next);
    });
  }

  async #logIn(request: Request, response: Response, { name, password, to }: Form): Promise<void> {
    const { logIn, secretOf, begin, tell } = this.#options;
    const place = networkKey(clientAddress(request));
    const secret = secretOf(name);
    const device = secret === undefined ? undefined : readDevice(request, { name, secret });
    const found = await logIn.try(name, password, device, place);
    if (!(found instanceof Rejected)) {
      void tell(request, 'log-in', { user: name });
      setCookie(request, response, begin(name, found.secret).id);
      rememberDevice(request, response, { name, secret: found.secret });
      response.set('Cache-Control', 'no-store').redirect(303, pathWithin(to));
      return;
    }
    const { retryAfter } = found;
    // An unknown name may be a password typed into the wrong field.
    const who = secret === undefined ? undefined : name;
    void tell(request, 'log-in refused', { reason: retryAfter > 0 ? 'too many attempts' : 'wrong' }, who);
    if (retryAfter > 0) response.set('Retry-After', String(retryAfter));
    show(
      response,
      retryAfter > 0 ? 429 : 403,
      to,
      retryAfter > 0
        ? {
            text: 'Too many attempts. Try again in {age}, or use a browser in which you have logged in before.',
            values: { age: countPhrase(retryAfter, '{n} second', '{n} seconds') },
          }
        : 'Wrong name or password.',
    );
  }
}

type Form = Readonly<Record<'name' | 'password' | 'to' | 'token', string>>;

function parseForm(body: unknown): Form {
  const fields = (body ?? {}) as Readonly<Record<string, unknown>>; // Express reads an object, or nothing.
  const field = (name: string): string => {
    const value = fields[name];
    return typeof value === 'string' ? value : '';
  };
  return { name: field('name'), password: field('password'), to: field('to'), token: field('token') };
}

function show(response: Response, status: number, to: string, problem?: Sentence<Text>): void {
  response
    .status(status)
    .set(PAGE_HEADERS)
    .send(
      logInPage({ to: pathWithin(to), problem, words: new Words(languageFor(response.req.headers), 'UTC') }),
    );
}
