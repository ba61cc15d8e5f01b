import { type Header, type HttpRequest, NO_BODY } from '../messages';

/** Longest line of a log that is read, in bytes. */
export const MOST_LOG_LINE_BYTES = 1024 * 1024;

/** Methods whose requests have no body, which no log holds. */
const TOLD = ['GET', 'HEAD'];

/** The request that a line of a log tells of, or why it tells of none. */
export function loggedRequest(
  method: string,
  target: string,
  userAgent: string | undefined,
): HttpRequest | string {
  if (!TOLD.includes(method)) return 'is of a method whose body no log holds';
  const headers: Header[] = userAgent === undefined ? [] : [['User-Agent', userAgent]];
  return { method, target, headers, body: NO_BODY };
}
