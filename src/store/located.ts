import { systemErrorCode } from '../support/errors';
import { StoreError } from './engine';
import { databasePlace } from './open-engine';

const LOCATED = new WeakSet();

/** What is wrong with a database, and with which one; another error, or one that says so already, stays as it is. */
export function located(error: unknown, url: string): unknown {
  if (!(error instanceof StoreError) || LOCATED.has(error)) return error;
  const { trouble, message, cause } = error;
  const code = systemErrorCode(cause) ?? '';
  // The codes of the system and of TLS, and SQLSTATEs, help; the SQLite driver has one and the same for everything.
  const shown = /^E[A-Z]+$|^(?!ERR_SQLITE_)[0-9A-Z_]{5,}$/.test(code) ? ` (${code})` : '';
  const told = new StoreError(trouble, `${message}${shown} Database: ${databasePlace(url)}`, cause);
  LOCATED.add(told);
  return told;
}
