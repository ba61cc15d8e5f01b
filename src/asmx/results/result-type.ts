import { type OperationResult, ReadyAnswer, type ResultRecord } from '../contract';

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
  if (typeof result === 'object' && !(result instanceof ReadyAnswer)) return result;
  throw new TypeError(`The handler of ${operation} returned no list.`);
}
