import { isIP } from 'node:net';

import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';

import { KnownHosts } from '../../asmx';
import { type Config, isThisMachine, type Reloadable, SettingError } from '../../config';
import { attempted, type Finding } from '../../support/errors';
import { PROGRAM_NAME } from '../../support/program-name';
import { loggedAddress } from '../../telemetry';
import { type Fields, isOfOtherPage, LogIn, LogInPages, refuse } from './log-in-pages';
import { clearCookie, isSame, randomToken, type Session, sessionIdOf, Sessions } from './sessions';
import { readUsers, type Role, type User } from './users-file';

/** What keeps the operator's pages from being opened to those whom they are for, and nobody else. */
export function entranceFindings(config: Config): readonly Finding[] {
  return attempted(() => {
    refuseOpenPages(config);
    if (config.ADMIN_PORT !== undefined && config.ADMIN_USERS_FILE !== undefined)
      readUsers(config.ADMIN_USERS_FILE);
    return [];
  });
}

/** @throws SettingError where everybody could open them from elsewhere */
function refuseOpenPages({ ADMIN_PORT, ADMIN_HOST, ADMIN_USERS_FILE }: Config): void {
  if (ADMIN_PORT === undefined || ADMIN_USERS_FILE !== undefined || isThisMachine(ADMIN_HOST)) return;
  throw new SettingError(
    'ADMIN_HOST makes the console reachable from other machines, so ADMIN_USERS_FILE is required. ' +
      `Create it with ${PROGRAM_NAME} admin-user, or set ADMIN_HOST to 127.0.0.1.`,
  );
}

/** Who looks at the operator's pages. */
export interface Visitor {
  /** Undefined where nobody has to log in. */
  readonly name: string | undefined;
  readonly role: Role;
  readonly canLogOut: boolean;
}

/** What pages ask of whoever lets visitors in. */
export type Visitors = Pick<Entrance, 'visitorOf' | 'pageToken' | 'isPageToken' | 'audit'>;

/** Of an answer: for whom it is. */
interface Admitted {
  readonly visitor: Visitor;
  readonly token: string;
}

const ADMITTED = new WeakMap<Response, Admitted>();

/**
 * Lets visitors into the operator's pages: everybody who reaches them where no file says who may, those who log in
 * otherwise; under names that only the operator can give this server, and from no page elsewhere.
 */
export class Entrance implements Reloadable {
  readonly settings = ['ADMIN_USERS_FILE', 'ADMIN_METRICS_TOKEN'] as const;
  #config: Config;
  readonly #logger: Logger;
  readonly #hosts: KnownHosts;
  readonly #sessions = new Sessions();
  readonly #logIn = new LogIn();
  readonly #pages: LogInPages;
  #users: ReadonlyMap<string, User> | undefined;
  /** For all who need not log in: a page elsewhere cannot read theirs. */
  readonly #everybody: Admitted = {
    visitor: { name: undefined, role: 'operator', canLogOut: false },
    token: randomToken(),
  };

  /** @throws OperatorError where the file of users cannot be used */
  constructor(config: Config, logger: Logger) {
    const { ALLOWED_HOSTS = [], ADMIN_HOST, BASE_URL } = config;
    const own = ADMIN_HOST === undefined || isIP(ADMIN_HOST) !== 0 ? [] : [ADMIN_HOST];
    this.#config = config;
    this.#logger = logger;
    this.#hosts = new KnownHosts([...ALLOWED_HOSTS, ...own], BASE_URL);
    this.#pages = new LogInPages({
      logIn: this.#logIn,
      secretOf: (name) => this.#users?.get(name)?.secret,
      begin: (name) => this.#sessions.begin(name, this.#users?.get(name)?.secret ?? ''),
      tell: this.#tell.bind(this),
    });
    this.reload(config);
  }

  /**
   * Reads the file of users again; who is no longer in it, or has another password, is logged out.
   *
   * @throws OperatorError where it cannot be used; then nothing changes
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

  /** Before everything else that the operator's port answers. */
  readonly gate: RequestHandler = (request, response, next) => {
    if (!this.#isOwnName(request))
      refuse(response, 403, 'This host name is not allowed. Add it to ALLOWED_HOSTS.');
    else if (isOfOtherPage(request))
      refuse(response, 403, 'Refused: this request came from a page of another site.');
    else if (request.path.startsWith('/assets/') || this.#isMonitor(request)) next();
    else if (this.#users === undefined) {
      ADMITTED.set(response, this.#everybody);
      next();
    } else if (request.path === '/login') this.#pages.serve(request, response, next);
    else this.#admitLoggedIn(request, response, next);
  };

  visitorOf(response: Response): Visitor {
    return admittedTo(response).visitor;
  }

  /** For the hidden field `token` of the visitor's forms: what a page elsewhere cannot know. */
  pageToken(response: Response): string {
    return admittedTo(response).token;
  }

  /** Whether a form is of a page that this visitor was shown. */
  isPageToken(response: Response, token: string): boolean {
    return isSame(admittedTo(response).token, token);
  }

  /** Writes one line: who did what, to how many. */
  audit(response: Response, action: string, fields: Fields): void {
    const { name } = this.visitorOf(response);
    this.#tell(response.req, 'console action', { user: name ?? 'local', action, ...fields });
  }

  #admitLoggedIn(request: Request, response: Response, next: NextFunction): void {
    const session = this.#sessions.find(sessionIdOf(request) ?? '');
    const user = session === undefined ? undefined : this.#users?.get(session.name);
    if (session === undefined || user === undefined) {
      this.#pages.sendTo(request, response);
      return;
    }
    const { name, token } = session;
    if (request.path === '/logout' && request.method === 'POST') {
      this.#logOut(session, request, response, next);
      return;
    }
    ADMITTED.set(response, { visitor: { name, role: user.role, canLogOut: true }, token });
    // A page that is left open hears of nothing more once its visitor is logged out.
    response.once(
      'close',
      this.#sessions.answering(session.id, () => response.destroy()),
    );
    next();
  }

  #logOut(session: Session, request: Request, response: Response, next: NextFunction): void {
    this.#pages.readForm(request, response, next, ({ token }) => {
      if (!isSame(session.token, token)) {
        refuse(response, 403, 'This form is out of date. Reload the page and submit it again.');
        return;
      }
      this.#tell(request, 'console log-out', { user: session.name });
      this.#sessions.end(session.id);
      clearCookie(request, response);
      response.redirect(303, '/login');
    });
  }

  /** Where everybody is let in, a page that leads here must not be able to pass for a proxy on this machine. */
  #isOwnName(request: Request): boolean {
    return this.#users === undefined ? this.#hosts.names(request) : this.#hosts.has(request);
  }

  #isMonitor({ path, headers }: Request): boolean {
    const { ADMIN_METRICS_TOKEN: token } = this.#config;
    const [, given] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    return path === '/metrics' && token !== '' && given !== undefined && isSame(token, given);
  }

  #tell(request: Request, message: string, fields: Fields): void {
    const client = loggedAddress(request, this.#config.LOG_CLIENT);
    this.#logger.info({ ...fields, client }, message);
  }
}

/** What the gate let through as somebody's. */
function admittedTo(response: Response): Admitted {
  const admitted = ADMITTED.get(response);
  if (admitted === undefined) throw new Error('The response belongs to no admin session.');
  return admitted;
}
