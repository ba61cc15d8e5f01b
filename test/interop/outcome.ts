import { isDeepStrictEqual } from 'node:util';

import { firstDifference } from './first-difference';

/** id_student, fullName, id_device and ShowActive of a StudentInfo; null is a field that was left out. */
export type Student = readonly (string | null)[];

/** Describes what a client's own stack made of an answer. */
export type Outcome =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'text'; readonly text: string | null }
  | { readonly kind: 'students'; readonly students: readonly Student[] }
  | Fault;

/** A refused call as the stack shows it to its program. */
export interface Fault {
  readonly kind: 'fault';
  /** Name of the stack's exception. */
  readonly type: string;
  readonly code: string;
  readonly text: string;
  /** Holds what the stack has of the fault's detail: its content as a text; null where it has none. */
  readonly detail: string | null;
}

export const NOTHING: Outcome = { kind: 'nothing' };

/** Why an outcome is not the one expected, or undefined where it is. */
export function difference(expected: Outcome, actual: Outcome): string | undefined {
  if (isDeepStrictEqual(expected, actual)) return undefined;
  return firstDifference(JSON.stringify(expected), JSON.stringify(actual));
}
