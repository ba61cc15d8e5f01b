import { DatabaseError } from 'pg';

import { errorMessage, systemErrorCode } from '../../support/errors';
import { StoreError, type StoreTrouble } from '../engine';

type Known = readonly [StoreTrouble, string];

const GONE: Known = ['unavailable', 'PostgreSQL does not answer.'];
const POOLER = 'see “PostgreSQL” in docs/operating.md';
const NOT_ITS_OWN: Known = [
  'unavailable',
  `A pooler gives each transaction another connection to PostgreSQL: set its pool_mode to session, ${POOLER}.`,
];
const FAILED: Known = ['failed', 'PostgreSQL could not run a statement.'];

/** By SQLSTATE, or its first two characters (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const TROUBLES: Readonly<Record<string, Known>> = {
  '08': GONE,
  '08P01': [
    'unavailable',
    `A pooler in between refuses the connection: ignore_startup_parameters must have statement_timeout, ${POOLER}.`,
  ],
  '23': ['conflict', 'A constraint of the database refused a row.'],
  // Of a prepared statement, which belongs to a connection.
  '26000': NOT_ITS_OWN,
  '42P05': NOT_ITS_OWN,
  '25006': ['read-only', 'PostgreSQL takes no writes: it is a read-only server.'],
  '28': ['unavailable', 'PostgreSQL refuses the user or the password.'],
  '28000': [
    'unavailable',
    'PostgreSQL refuses this user from this machine: check the user and pg_hba.conf, and add sslmode=require to the URL where it says hostssl.',
  ],
  '3D000': ['unavailable', 'PostgreSQL has no database of that name.'],
  '42501': ['read-only', 'PostgreSQL does not allow this user to do that.'],
  '53100': ['full', 'PostgreSQL has no disk space left.'],
  '53300': ['unavailable', 'PostgreSQL has no connection left.'],
  '55P03': ['locked', 'Another transaction kept a lock for too long.'],
  '57014': ['timeout', 'A statement took longer than allowed.'],
  '57P': GONE, // shut down, crashed, starting up
  XX001: ['corrupt', 'PostgreSQL found damaged data.'],
  XX002: ['corrupt', 'PostgreSQL found a damaged index.'],
};

const UNTRUSTED: Known = [
  'unavailable',
  'The certificate of PostgreSQL is not trusted: add sslrootcert=FILE to the URL, with the certificate of its issuer (PEM), or encrypt without checking it by sslmode=no-verify.',
];

/** By the code that Node.js gives a connection over TLS that does not come about. */
const TLS_TROUBLES: Readonly<Record<string, Known>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  INVALID_CA: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_HAS_EXPIRED: ['unavailable', 'The certificate of PostgreSQL has expired: renew it.'],
  CERT_NOT_YET_VALID: [
    'unavailable',
    'The certificate of PostgreSQL is not valid yet: check the clocks of both machines.',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'unavailable',
    'The certificate of PostgreSQL is for another host: write the host that it names into the URL.',
  ],
};

const NO_TLS: Known = [
  'unavailable',
  'PostgreSQL does not speak TLS: set ssl=on there, or take sslmode out of the URL.',
];
const TLS_FAILED: Known = [
  'unavailable',
  'TLS with PostgreSQL failed: check ssl_min_protocol_version and the client certificate (sslcert, sslkey).',
];

/** The driver's error as a StoreError; one that is a StoreError already stays what it is. */
export function postgresError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const [trouble, message] = describe(error);
  return new StoreError(trouble, message, error);
}

function describe(error: unknown): Known {
  // What is no answer of the server is a failure to reach it: refused, reset, timed out, name not found, no TLS.
  if (!(error instanceof DatabaseError)) return describeConnection(error);
  const code = error.code ?? '';
  return TROUBLES[code] ?? TROUBLES[code.slice(0, 3)] ?? TROUBLES[code.slice(0, 2)] ?? FAILED;
}

function describeConnection(error: unknown): Known {
  const code = systemErrorCode(error) ?? '';
  if (errorMessage(error) === 'The server does not support SSL connections') return NO_TLS;
  return TLS_TROUBLES[code] ?? (/^ERR_(?:SSL|TLS|OSSL)_|^EPROTO$/.test(code) ? TLS_FAILED : GONE);
}
