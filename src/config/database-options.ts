import type { Config } from './load-config';

/** Where the database is, and what may be asked of it. */
export interface DatabaseOptions {
  readonly url: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
}

/** The settings of the database, for the service and for the commands. */
export function databaseOptions(config: Config): DatabaseOptions {
  return {
    url: config.DATABASE_URL,
    poolSize: config.DATABASE_POOL_SIZE,
    statementTimeoutMs: config.DATABASE_STATEMENT_TIMEOUT_SECONDS * 1000,
  };
}
