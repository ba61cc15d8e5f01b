import { isIP } from 'node:net';

import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';

import { KnownHosts } from '../../asmx/internal';
import { type Config, isThisMachine, type Reloadable, SettingError } from '../../config';
import { attempted, type Finding } from '../../support/errors';
import { PROGRAM_NAME } from '../../support/program-name';
import { isSameSecret } from '../../support/same-secret';
import { loggedAddress } from '../../telemetry';
import type { Action, ActionName, ActionTrail } from './actions';
import { chooseLanguage } from './choose-language';
import { LogIn } from './log-in';
import { type Fields, LogInPages } from './log-in-pages';
import { refuse } from './refuse';
import { clearCookie, randomToken, readSessionId, type Session, Sessions } from './sessions';
import { readUsers, type Role, type User } from './users-file';

/** Checks that the console can be opened by its admin users, and by no one else. */
export function loginFindings(config: Config): readonly Finding[] {
  return attempted(() => {
    refuseOpenPages(config);
    if (config.ADMIN_PORT !== undefined && config.ADMIN_USERS_FILE !== undefined)
      readUsers(config.ADMIN_USERS_FILE);
    return [];
  });
}

/** @throws SettingError if anyone could open the console from another machine */
function refuseOpenPages({ ADMIN_PORT, ADMIN_HOST, ADMIN_USERS_FILE }: Config): void {
  if (ADMIN_PORT === undefined || ADMIN_USERS_FILE !== undefined || isThisMachine(ADMIN_HOST)) return;
  throw new SettingError(
    'ADMIN_HOST makes the console reachable from other machines, so ADMIN_USERS_FILE is required. ' +
      `Create it with ${PROGRAM_NAME} admin-user, or set ADMIN_HOST to 127.0.0.1.`,
  );
}

export interface AdminUser {
  /** Undefined if no login is needed. */
  readonly name: string | undefined;
  readonly role: Role;
  readonly canLogOut: boolean;
}

export type AdminUsers = Pick<AdminLogin, 'userFor' | 'pageToken' | 'isPageToken' | 'record'>;

/** Admission of a response's request. */
interface Admitted {
  readonly user: AdminUser;
  readonly token: string;
}

const ADMITTED = new WeakMap<Response, Admitted>();

/**
 * Admits admin users to the console: anyone who can reach it if there is no file of users, or else those who
 * log in; only under host names that the operator controls, and not from pages of other sites.
 */
export class AdminLogin implements Reloadable {
  readonly settings = ['ADMIN_USERS_FILE', 'ADMIN_METRICS_TOKEN'] as const;
  #config: Config;
  readonly #logger: Logger;
  readonly #trail: Pick<ActionTrail, 'note'> | undefined;
  readonly #hosts: KnownHosts;
  readonly #sessions = new Sessions();
  readonly #logIn = new LogIn();
  readonly #pages: LogInPages;
  #users: ReadonlyMap<string, User> | undefined;
  /** Shared by all who need no login: a page of another site cannot read their token. */
  readonly #everybody: Admitted = {
    user: { name: undefined, role: 'operator', canLogOut: false },
    token: randomToken(),
  };

  /**
   * @param trail - records who did what; default: only the log does
   * @throws OperatorError if the file of users cannot be used
   */
  constructor(config: Config, logger: Logger, trail?: Pick<ActionTrail, 'note'>) {
    const { ALLOWED_HOSTS = [], ADMIN_HOST, BASE_URL } = config;
    const own = ADMIN_HOST === undefined || isIP(ADMIN_HOST) !== 0 ? [] : [ADMIN_HOST];
    this.#config = config;
    this.#logger = logger;
    this.#trail = trail;
    this.#hosts = new KnownHosts([...ALLOWED_HOSTS, ...own], BASE_URL);
    this.#pages = new LogInPages({
      logIn: this.#logIn,
      secretOf: (name) => this.#users?.get(name)?.secret,
      begin: this.#sessions.begin.bind(this.#sessions),
      tell: this.#tell.bind(this),
    });
    this.reload(config);
  }

  /**
   * Reloads the file of users; removed users, and those with a new password, are logged out.
   *
   * @throws OperatorError if it cannot be used; then nothing changes
   */
  reload(config: Config): void {
    const { ADMIN_USERS_FILE: path, ADMIN_PORT } = config;
    const users = path === undefined || ADMIN_PORT === undefined ? undefined : readUsers(path);
    this.#config = config;
    if (users === undefined) return;
    this.#users = users;
    this.#logIn.use(users);
    this.#sessions.endUnless(({ name, secret }) => users.get(name)?.secret === secret);
  }

  /** Runs before everything else on the console's port. */
  readonly gate: RequestHandler = (request, response, next) => {
    if (!this.#isOwnName(request))
      refuse(response, 403, 'This host name is not allowed. Add it to ALLOWED_HOSTS.');
    else if (isOfOtherPage(request))
      refuse(response, 403, 'Refused: this request came from a page of another site.');
    else if (request.path.startsWith('/assets/') || this.#isMonitor(request)) next();
    else if (request.path === '/language') chooseLanguage(request, response, next);
    else if (this.#users === undefined) {
      ADMITTED.set(response, this.#everybody);
      next();
    } else if (request.path === '/login') this.#pages.serve(request, response, next);
    else this.#admitLoggedIn(request, response, next);
  };

  userFor(response: Response): AdminUser {
    return admittedTo(response).user;
  }

  /** Returns the hidden field `token` of the user's forms, which pages of other sites cannot know. */
  pageToken(response: Response): string {
    return admittedTo(response).token;
  }

  /** Returns true if a form comes from a page shown to this user. */
  isPageToken(response: Response, token: string): boolean {
    return isSameSecret(admittedTo(response).token, token);
  }

  /**
   * Logs and records an action of the user. Resolves when it is recorded, or the log has the reason why not.
   */
  async record(response: Response, action: ActionName, fields: Fields): Promise<void> {
    const { name: user = 'local' } = this.userFor(response);
    const done = { who: user, action, detail: fields };
    await this.#note(response.req, 'console action', { user, action, ...fields }, done);
  }

  #admitLoggedIn(request: Request, response: Response, next: NextFunction): void {
    const session = this.#sessions.find(readSessionId(request));
    const user = session && this.#users?.get(session.name);
    // The file may have changed while the password was verified.
    if (session === undefined || user?.secret !== session.secret) {
      this.#pages.sendTo(request, response);
      return;
    }
    const { name, token } = session;
    if (request.path === '/logout' && request.method === 'POST') {
      this.#logOut(session, request, response, next);
      return;
    }
    ADMITTED.set(response, { user: { name, role: user.role, canLogOut: true }, token });
    // An open page gets no more updates once its user is logged out.
    response.once(
      'close',
      this.#sessions.answering(session.id, () => response.destroy()),
    );
    next();
  }

  #logOut(session: Session, request: Request, response: Response, next: NextFunction): void {
    this.#pages.readForm(request, response, next, ({ token }) => {
      if (!isSameSecret(session.token, token)) {
        refuse(response, 403, 'This form is out of date. Reload the page and submit it again.');
        return;
      }
      void this.#tell(request, 'log-out', { user: session.name });
      this.#sessions.end(session.id);
      clearCookie(request, response);
      response.redirect(303, '/login');
    });
  }

  /** Without a login, a name resolving to this machine must not let a page pass for a local proxy. */
  #isOwnName(request: Request): boolean {
    return this.#users === undefined ? this.#hosts.names(request) : this.#hosts.has(request);
  }

  #isMonitor({ path, headers }: Request): boolean {
    const { ADMIN_METRICS_TOKEN: token } = this.#config;
    const [, given] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    return path === '/metrics' && token !== '' && given !== undefined && isSameSecret(token, given);
  }

  /** @param who - user for the record only; default: the logged one */
  async #tell(request: Request, action: ActionName, fields: Fields, who?: string): Promise<void> {
    const { user = who ?? 'unknown', ...detail } = fields;
    await this.#note(request, `console ${action}`, fields, { who: String(user), action, detail });
  }

  async #note(
    request: Request,
    message: string,
    fields: Fields,
    { who, action, detail }: Omit<Action, 'at'>,
  ): Promise<void> {
    const client = loggedAddress(request, this.#config.LOG_CLIENT);
    this.#logger.info({ ...fields, client }, message);
    await this.#trail?.note(who, action, { ...detail, ...(client && { client }) });
  }
}

/** Returns the admission of a response's request. */
function admittedTo(response: Response): Admitted {
  const admitted = ADMITTED.get(response);
  if (admitted === undefined) throw new Error('The response belongs to no admin session.');
  return admitted;
}

/** Returns true for a request that could change something, sent by a page of another site. */
function isOfOtherPage({ method, headers }: Request): boolean {
  if (method === 'GET' || method === 'HEAD') return false;
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin' && site !== 'none';
}
