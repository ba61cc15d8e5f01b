import type { Request } from 'express';
import type { AttemptedCall, Binding, OperationArguments } from './contract';

/** Why a call is not served. */
export interface Refusal {
  readonly status: 401 | 403 | 429;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** For the caller. */
  readonly message: string;
  /** One word of few, for log and metrics. */
  readonly reason: string;
  /** Name under which the gate knows who it is, or undefined. */
  readonly caller: string | undefined;
}

/** What somebody who was let in may do. */
export interface Admission {
  /** Name under which the gate knows who it is, or undefined. */
  readonly caller: string | undefined;
  /** Judges the call when all of it is known. */
  judge(operation: string, binding: Binding, args: OperationArguments): Refusal | undefined;
}

export type Verdict = Admission | Refusal;

/** Decides who may call what: asked before a request's body is read, so it may not read that itself. */
export interface Gate {
  admit(request: Request, call: AttemptedCall): Verdict | Promise<Verdict>;
}
