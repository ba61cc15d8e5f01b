import { PROGRAM_NAME } from './program-name';

/**
 * Error that the operator can correct: the message is one line that describes the problem, without personal
 * data.
 */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/** A problem or a note about the settings, or about what they name, found before the service starts. */
export interface Finding {
  /**
   * Level in the log. `error`: the part that depends on it does not work, and the rest does; `fatal`: the
   * service cannot work, and does not start.
   */
  readonly level: 'warn' | 'error' | 'fatal';
  /** One line: what, where, and what to do; without personal data and secrets. */
  readonly message: string;
  /** Additional fields of the log line. */
  readonly fields?: Readonly<Record<string, string | number | undefined>>;
}

/** Returns the result of an action; undefined if it throws. */
export function tryTo<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

/** Returns the findings of an action; an OperatorError thrown by it becomes a fatal finding. */
export function attempted(act: () => readonly Finding[]): readonly Finding[] {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [{ level: 'fatal', message: error.message }];
  }
}

/**
 * Returns the line that ends a start: the first fatal finding, and the number of further ones. Undefined
 * without a fatal finding.
 */
export function fatalMessage(findings: readonly Finding[]): string | undefined {
  const [first, ...others] = findings.filter(({ level }) => level === 'fatal');
  if (first === undefined || others.length === 0) return first?.message;
  return `${first.message} (and ${String(others.length)} more; ${PROGRAM_NAME} check lists them)`;
}

/**
 * Returns the code that the system, a library or a database gave an error (`ENOENT`, `23505`), or undefined.
 * Checks the property, not the class: errors of native modules may belong to another realm.
 */
export function systemErrorCode(error: unknown): string | undefined {
  return textProperty(error, 'code');
}

/**
 * Returns an error's code, or the name of its class: one word for a line that must contain no personal data.
 */
export function errorWord(error: unknown): string {
  return systemErrorCode(error) ?? textProperty(error, 'name') ?? 'unknown error';
}

/** Returns the message of an error, empty if it has none. */
export function errorMessage(error: unknown): string {
  return textProperty(error, 'message') ?? '';
}

function textProperty(value: unknown, name: 'code' | 'message' | 'name'): string | undefined {
  if (typeof value !== 'object' || value === null || !(name in value)) return undefined;
  const property: unknown = Reflect.get(value, name);
  return typeof property === 'string' ? property : undefined;
}
