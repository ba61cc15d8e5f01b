import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';

import { Credentials, networkKey, Rates, Rejected } from '../../access';
import { clientAddress } from '../../asmx/internal';
import { html, NOTHING } from '../../support/html';
import { contentPolicy, htmlDocument, privatePageHeaders } from '../../support/html-page';
import { countPhrase, type Sentence } from '../../support/phrase';
import { languageCookie, languageFor, languageChoice, type Text, Words } from '../texts/words';
import type { ActionName } from './actions';
import { readDevice, rememberDevice, type Session, setCookie } from './sessions';
import { type User, USER_NAME } from './users-file';

/** Answers with a line of text. */
export function refuse(response: Response, status: number, text: string): void {
  response.status(status).set('Cache-Control', 'no-store').type('text/plain').send(`${text}\n`);
}

/** Returns true for a request that could change something, sent by a page of another site. */
export function isOfOtherPage({ method, headers }: Request): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}

/** Base for parsing addresses: no address of this server begins like this. */
const HERE = 'http://here.invalid';
const OUTSIDE = /^\/(?:\/|log(?:in|out)$)/;

/** Remembers the language that a link names, and returns to the page with the link. */
export const chooseLanguage: RequestHandler = (request, response) => {
  const { to, back } = request.query;
  const cookie = languageCookie(to);
  if (cookie !== undefined) response.set('Set-Cookie', cookie);
  const wanted = typeof back === 'string' ? back : '/';
  const isLogIn = /^\/login(?:\?to=[^?&]*)?$/.test(wanted);
  response.set('Cache-Control', 'no-store');
  response.redirect(303, isLogIn ? wanted : pathWithin(wanted));
};

/**
 * Returns the requested path if it belongs to this server and is not the login itself; otherwise the first
 * page.
 */
function pathWithin(wanted: string): string {
  if (!URL.canParse(wanted, HERE)) return '/';
  const { origin, pathname, search } = new URL(wanted, HERE);
  return origin !== HERE || OUTSIDE.test(pathname) ? '/' : pathname + search;
}

/** Maximum number of login attempts for one name from all unknown browsers, and from one known browser. */
const ATTEMPTS = 10;
const ATTEMPTS_WITHIN_MS = 5 * 60_000;

/** Attempts that are counted together. */
class Tries {
  readonly #rates = new Rates(ATTEMPTS_WITHIN_MS);
  #credentials = new Credentials<User>();

  use(users: ReadonlyMap<string, User>): void {
    this.#credentials = new Credentials();
    for (const [name, user] of users) this.#credentials.addUser(name, [user.hash], user);
  }

  /** @param key - of the counter */
  async try(key: string, name: string, password: string, place: string): Promise<User | Rejected> {
    const retryAfter = this.#rates.take(key, ATTEMPTS);
    if (retryAfter > 0) return new Rejected(retryAfter);
    const found = await this.#credentials.callerForUser(name, password, place);
    if (!(found instanceof Rejected)) this.#rates.giveBack(key);
    return found;
  }
}

/**
 * Verifies names and passwords: few attempts for a name and from a place, one at a time. A browser in which a
 * user has logged in before has separate counts, so that strangers cannot lock the user out of it.
 */
export class LogIn {
  readonly #strangers = new Tries();
  readonly #devices = new Tries();

  use(users: ReadonlyMap<string, User>): void {
    this.#strangers.use(users);
    this.#devices.use(users);
  }

  /**
   * @param device - the browser, if this user has logged in there before
   * @param place - origin of the attempt
   */
  async try(
    name: string,
    password: string,
    device: string | undefined,
    place: string,
  ): Promise<User | Rejected> {
    // An invalid name belongs to no user: it gets no counter, and must not contain another name before a
    // colon.
    if (!USER_NAME.test(name)) return new Rejected(0);
    return device === undefined
      ? this.#strangers.try(name, name, password, place)
      : this.#devices.try(device, name, password, device);
  }
}

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
