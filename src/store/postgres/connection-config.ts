import { Client, type ClientConfig, TypeOverrides, types } from 'pg';

import { errorMessage } from '../../support/errors';
import { StoreError } from '../engine/engine';

/** Time limit for obtaining a connection, new or from the pool, in milliseconds. */
const CONNECT_TIMEOUT_MS = 5000;

/** TLS parameters allowed in a URL; the driver ignores all other names and treats all other modes as the strictest. */
const TLS_PARAMETERS: readonly string[] = [
  ...['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'],
  'uselibpqcompat',
];
/** TLS modes. In all of them except `disable` and `no-verify`, the driver checks the certificate and the host. */
const MODES: readonly string[] = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Returns the driver's configuration for a database URL.
 *
 * @throws StoreError if a TLS parameter of the URL would have no effect, or a file that it names cannot be read
 */
export function connectionTo(url: string): ClientConfig {
  // The driver returns 64-bit integers as strings; ours all fit a number.
  const integers = new TypeOverrides();
  integers.setTypeParser(types.builtins.INT8, Number);
  refuseUnknownTls(url);
  const connection: ClientConfig = {
    connectionString: checkingAll(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'student-notification-service',
    types: integers,
  };
  refuseUnreadableFiles(connection);
  return connection;
}

function refuseUnknownTls(url: string): void {
  if (!URL.canParse(url)) return;
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

/** Names the current checks explicitly: the driver warns that its next version will check less in three modes. */
function checkingAll(url: string): string {
  if (/[?&]uselibpqcompat=/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|#|$)/, '$1verify-full');
}

/** Reads the certificates in advance: the driver reads them whenever it connects, and throws the system's raw error. */
function refuseUnreadableFiles(connection: ClientConfig): void {
  try {
    new Client(connection);
  } catch (cause) {
    const file = /'([^']+)'/.exec(errorMessage(cause))?.[1] ?? '';
    const message = `Cannot read a file of DATABASE_URL (sslrootcert, sslcert, sslkey): ${file}`;
    throw new StoreError('unavailable', `${message}.`, cause);
  }
}
