import { DatabaseError } from 'pg';

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

/** The driver's error as a StoreError; one that is a StoreError already stays what it is. */
export function postgresError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const [trouble, message] = describe(error);
  return new StoreError(trouble, message, error);
}

function describe(error: unknown): Known {
  // What is no answer of the server is a failure to reach it: refused, reset, timed out, name not found.
  if (!(error instanceof DatabaseError)) return GONE;
  const code = error.code ?? '';
  return TROUBLES[code] ?? TROUBLES[code.slice(0, 3)] ?? TROUBLES[code.slice(0, 2)] ?? FAILED;
}
