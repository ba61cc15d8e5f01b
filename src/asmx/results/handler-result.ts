import { type OperationResult, RawResponse, type ResultRecord } from '../contract';

/** @throws TypeError when a handler returned something else than the contract's string or null */
export function requireString(operation: string, result: OperationResult): string | null {
  if (typeof result === 'string' || result === null) return result;
  throw new TypeError(`The handler of ${operation} returned no string.`);
}

/** @throws TypeError when a handler returned something else than the contract's list or null */
export function requireList(
  operation: string,
  result: OperationResult,
): readonly (ResultRecord | null)[] | null {
  if (result === null) return null;
  if (typeof result === 'object' && !(result instanceof RawResponse)) return result;
  throw new TypeError(`The handler of ${operation} returned no list.`);
}

/** The text for what has no text of its own, or none that a caller may see. */
export const GENERIC_MESSAGE = 'An error occurred on the server.';

// A chain of causes may be a circle.
const LONGEST_CHAIN = 16;

/** The messages of a thrown value and of its causes, outermost first, as ASP.NET shows them. */
export function errorMessages(error: unknown): readonly string[] {
  const messages: string[] = [];
  let link: unknown = error;
  while (link instanceof Error && messages.length < LONGEST_CHAIN) {
    messages.push(link.message);
    link = link.cause;
  }
  return messages.length > 0 ? messages : [GENERIC_MESSAGE];
}
