import { PROGRAM_NAME } from './program-name';

/** What the operator can mend: the message is one line that says what is wrong, and holds no personal data. */
export class OperatorError extends Error {
  override readonly name: string = 'OperatorError';
}

/** What the operator should know of the settings, or of what they name, before the service starts. */
export interface Finding {
  /**
   * As in the log. `error`: what hangs on it does not work, and the rest does; `fatal`: the service cannot work so,
   * and does not start.
   */
  readonly level: 'warn' | 'error' | 'fatal';
  /** One line: what, where, and what to do; without personal data and secrets. */
  readonly message: string;
  /** What the line in the log has beside its message. */
  readonly fields?: Readonly<Record<string, string | number | undefined>>;
}

/** What is found by doing something; what keeps it from being done, where the operator can mend that, is fatal. */
export function attempted(act: () => readonly Finding[]): readonly Finding[] {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return [{ level: 'fatal', message: error.message }];
  }
}

/** The line that ends a start: the first thing that is fatal, and how many more there are. Undefined where nothing is. */
export function fatalMessage(findings: readonly Finding[]): string | undefined {
  const [first, ...others] = findings.filter(({ level }) => level === 'fatal');
  if (first === undefined || others.length === 0) return first?.message;
  return `${first.message} (and ${String(others.length)} more; ${PROGRAM_NAME} check lists them)`;
}

/**
 * The code that the system, a library or a database gave an error (`ENOENT`, `23505`), or undefined. Asks for the
 * property, not for the class: errors of native modules may belong to another realm.
 */
export function systemErrorCode(error: unknown): string | undefined {
  return textProperty(error, 'code');
}

/** That code, or the name of the error's class: one word for a line that must hold no personal data. */
export function errorWord(error: unknown): string {
  return systemErrorCode(error) ?? textProperty(error, 'name') ?? 'unknown error';
}

/** The message of an error, empty for what has none. */
export function errorMessage(error: unknown): string {
  return textProperty(error, 'message') ?? '';
}

function textProperty(value: unknown, name: 'code' | 'message' | 'name'): string | undefined {
  if (typeof value !== 'object' || value === null || !(name in value)) return undefined;
  const property: unknown = Reflect.get(value, name);
  return typeof property === 'string' ? property : undefined;
}
