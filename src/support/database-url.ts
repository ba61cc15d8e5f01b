import { OperatorError } from './errors';

/** Server that connections may stay on: one that accepts writes, the primary, or any. */
export type SessionTarget = 'any' | 'read-write' | 'primary';

interface PostgresServer {
  /** `HOST:PORT`, for display. */
  readonly name: string;
  /** URL of this server alone, with user and password, without the parameters that are read here. */
  readonly url: string;
}

/** Parts of a PostgreSQL URL, which may name several servers as libpq's may. */
interface PostgresUrl {
  readonly servers: readonly PostgresServer[];
  readonly target: SessionTarget;
  /** Maximum number of connections; half of them only read. */
  readonly poolSize: number;
  readonly scheme: string;
  /** The hosts as written, for display. */
  readonly hosts: string;
  /** A slash and the name of the database; may be empty. */
  readonly path: string;
  readonly hasUser: boolean;
}

const URL_PARTS = /^(postgres(?:ql)?:\/\/)(?:([^/?#]*)@)?([^@/?#]*)(\/[^?#]*)?(?:\?([^#]*))?$/;
const HOST = /^(\[[\da-f:.]+\]|[^\s:,%[\]]+)(?::(\d{1,5}))?$/i;
const TARGETS: readonly string[] = ['any', 'read-write', 'primary'] satisfies readonly SessionTarget[];
const DEFAULT_PORT = '5432';
const DEFAULT_POOL_SIZE = '10';
const POOL_SIZE = /^(?:[2-9]|[1-9]\d{1,2})$/;

/**
 * Parses
 * `postgres://USER:PASSWORD@HOST:PORT,HOST:PORT/DATABASE?target_session_attrs=read-write&pool_size=20`.
 * Several hosts without the first parameter mean `read-write`, one host means `any`.
 *
 * @throws OperatorError with the reason, without the password
 */
export function parsePostgresUrl(text: string): PostgresUrl {
  const [, scheme, user, hosts = '', path = '', query = ''] = URL_PARTS.exec(text) ?? [];
  if (scheme === undefined) throw new OperatorError('Expected postgres://USER:PASSWORD@HOST:PORT/DATABASE');
  const names = hosts.split(',');
  const isList = names.length > 1;
  const parameters = query.split('&').filter((parameter) => parameter !== '');
  const value = (name: string): string | undefined =>
    parameters.find((parameter) => parameter.startsWith(`${name}=`))?.slice(name.length + 1);
  if (value('host')?.includes(',') === true || (isList && value('host') !== undefined)) {
    throw new OperatorError('Name several hosts before the database, not in the parameter host');
  }
  const target = value('target_session_attrs') ?? (isList ? 'read-write' : 'any');
  if (!isTarget(target)) {
    throw new OperatorError(
      `Unknown target_session_attrs ${JSON.stringify(target)}. Use any, read-write or primary`,
    );
  }
  const poolSize = value('pool_size') ?? DEFAULT_POOL_SIZE;
  if (!POOL_SIZE.test(poolSize))
    throw new OperatorError('The pool_size must be a whole number from 2 to 999');
  const dropped = isList
    ? /^(?:target_session_attrs|pool_size|port)=/
    : /^(?:target_session_attrs|pool_size)=/;
  const others = parameters.filter((parameter) => !dropped.test(parameter)).join('&');
  const servers = names.map((host, at) => {
    const name = isList ? serverName(host, value('port') ?? DEFAULT_PORT) : host;
    // The text itself is not shown: in a URL that is wrong, a part of the password may be here.
    if (name === undefined)
      throw new OperatorError(`Host ${String(at + 1)} of ${String(names.length)}: invalid host or port`);
    const url = `${scheme}${user === undefined ? '' : `${user}@`}${name}${path}${others && `?${others}`}`;
    if (!URL.canParse(url)) throw new OperatorError('Invalid host, port, user or password');
    return { name, url };
  });
  const hasUser = user !== undefined;
  return { servers, target, poolSize: Number(poolSize), scheme, hosts, path, hasUser };
}

function isTarget(text: string): text is SessionTarget {
  return TARGETS.includes(text);
}

function serverName(text: string, usualPort: string): string | undefined {
  const [, host, port = usualPort] = HOST.exec(text) ?? [];
  const isPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535;
  return host !== undefined && isPort ? `${host}:${port}` : undefined;
}

/** Returns the maximum number of connections to a database; 0 for SQLite. */
export function poolSizeOf(url: string): number {
  return url.startsWith('sqlite:') ? 0 : parsePostgresUrl(url).poolSize;
}

/**
 * Returns the path of a SQLite URL; undefined for another database, or one in memory. A drive letter of
 * Windows may follow slashes: `sqlite:///C:/data/school.db`.
 */
export function sqlitePath(url: string): string | undefined {
  const [, path] = /^sqlite:(.+)$/s.exec(url) ?? [];
  return path === ':memory:' ? undefined : path?.replace(/^\/+(?=[A-Za-z]:[\\/])/, '');
}
