import { Client, type ClientConfig, TypeOverrides, types } from 'pg';

import { parsePostgresUrl, type SessionTarget } from '../../support/database-url';
import { errorMessage } from '../../support/errors';
import { StoreError } from '../engine/engine';

/** Time limit for obtaining a connection, new or from the pool, in milliseconds. */
export const CONNECT_TIMEOUT_MS = 5000;

/**
 * TLS parameters allowed in a URL; the driver ignores all other names and treats all other modes as the
 * strictest.
 */
const TLS_PARAMETERS: readonly string[] = [
  ...['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'],
  'uselibpqcompat',
];
/**
 * TLS modes. In all of them except `disable` and `no-verify`, the driver checks the certificate and the host.
 */
const MODES: readonly string[] = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

/** A server of a database URL, with the driver's configuration for it. */
export interface ServerConfig {
  /** `HOST:PORT`, for display. */
  readonly name: string;
  readonly config: ClientConfig;
}

/**
 * Returns the servers of a database URL, and the kind of server that it asks for.
 *
 * @throws StoreError if a TLS parameter of the URL would have no effect, or a file that it names cannot be
 * read
 * @throws OperatorError if it is no URL of PostgreSQL
 */
export function serverConfigs(url: string): { target: SessionTarget; configs: readonly ServerConfig[] } {
  // The driver returns 64-bit integers as strings; ours all fit a number.
  const integers = new TypeOverrides();
  integers.setTypeParser(types.builtins.INT8, Number);
  const { servers, target } = parsePostgresUrl(url);
  const configs = servers.map((server) => {
    refuseUnknownTls(server.url);
    const config: ClientConfig = {
      connectionString: checkingAll(server.url),
      // All servers can be tried within the limit.
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS / servers.length,
      keepAlive: true,
      application_name: 'student-notification-service',
      types: integers,
    };
    refuseUnreadableFiles(config);
    return { name: server.name, config };
  });
  return { target, configs };
}

function refuseUnknownTls(url: string): void {
  for (const [name, value] of new URL(url).searchParams) {
    if (/ssl|tls/i.test(name) && !TLS_PARAMETERS.includes(name)) {
      throw new StoreError(
        'unavailable',
        `Unknown parameter ${JSON.stringify(name)} in the database URL. TLS parameters: ${TLS_PARAMETERS.slice(0, 5).join(', ')}.`,
      );
    }
    if (name === 'sslmode' && !MODES.includes(value)) {
      throw new StoreError(
        'unavailable',
        `Unknown sslmode ${JSON.stringify(value)} in the database URL. Use disable, no-verify, require or verify-full.`,
      );
    }
  }
}

/**
 * Names the current checks explicitly: the driver warns that its next version will check less in three modes.
 */
function checkingAll(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|#|$)/, '$1verify-full');
}

/**
 * Reads the certificates in advance: the driver reads them whenever it connects, and throws the system's raw
 * error.
 */
function refuseUnreadableFiles(connection: ClientConfig): void {
  try {
    new Client(connection);
  } catch (cause) {
    const file = /'([^']+)'/.exec(errorMessage(cause))?.[1] ?? '';
    const message = `Cannot read a file of DATABASE_URL (sslrootcert, sslcert, sslkey): ${file}`;
    throw new StoreError('unavailable', `${message}.`, cause);
  }
}
