import type { Binding } from '../../src/asmx';
import type { OperationName } from '../../src/operations';
import type { Arguments } from './client';
import type { Outcome } from './outcome';
import type { Message } from '../harness/list-messages';

/** A call that the service refuses, for a reason that reaches the caller. */
interface Refusal {
  readonly kind: 'refused';
  readonly reason: string;
  /** The reason where the binding cannot leave an argument out. */
  readonly reasonOfEmpty?: string;
}

/** Describes what a call that returns nothing leaves behind in the service. */
export interface Trace {
  /** Fields of the request's line in the log. */
  readonly logged?: Readonly<Record<string, string | number | boolean>>;
  readonly stored?: Pick<Message, 'channel' | 'recipient' | 'school'> & {
    /** Gone once the message is sent. */
    readonly payload: Readonly<Record<string, string>>;
  };
}

export interface Scenario {
  readonly title: string;
  readonly operation: OperationName;
  readonly args: Arguments;
  readonly expected: Outcome | Refusal;
  readonly trace?: Trace;
  /** All bindings unless given. */
  readonly bindings?: readonly Binding[];
}

/** Contains what texts of any language may hold, and XML must escape. */
export const DIFFICULT = 'Ğüşiöç İı <&"\'> رمز 😀';

/** Describes a call that is refused, and what its caller gets. */
export function refused(operation: OperationName, args: Arguments, reason: string): Scenario {
  return { title: `refused: ${reason}`, operation, args, expected: { kind: 'refused', reason } };
}

/** A call without one of the operation's parameters; bindings that always send all send it empty. */
export function leftOut(operation: OperationName, args: Arguments, parameter: string): Scenario {
  return {
    title: `${parameter} left out`,
    operation,
    args,
    expected: {
      kind: 'refused',
      reason: `Missing parameter: ${parameter}.`,
      reasonOfEmpty: `Parameter ${parameter} is empty.`,
    },
  };
}
