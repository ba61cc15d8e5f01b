import type { ValueError } from '../types';

/** A value that cannot be read. */
export interface ValueFault {
  readonly error: ValueError;
  /** Offset of the node on which .NET's reader stands by then, markup included. */
  readonly offset: number;
}

/** Carries a fault that counts at once out of the parser's event handlers. */
export class ValueFaultException extends Error {
  override readonly name = 'ValueFaultException';

  constructor(readonly fault: ValueFault) {
    super(fault.error.message);
  }
}
