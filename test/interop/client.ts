import type { Binding } from '../../src/asmx';
import type { DescribedOperation } from '../support/contract-operations';
import type { Fault, Outcome } from './outcome';

/** Arguments in the order of the contract; null is one that the caller leaves out. */
export type Arguments = readonly (string | null)[];

/** The bindings whose messages are envelopes. */
export type SoapBinding = Extract<Binding, `soap${string}`>;

/** A client that is ready to call a service. */
export interface Caller {
  /** @throws Error when the call ends otherwise than with an answer or a fault */
  call(operation: DescribedOperation, args: Arguments): Promise<Outcome>;
  close(): Promise<void>;
}

export interface ClientBinding {
  readonly name: Binding;
  /** Whether an argument that is null is left out of the request; else it arrives as the empty string. */
  readonly leavesOut: boolean;
  /** What the client's stack makes of a call that the service refuses for this reason. */
  fault(reason: string): Fault;
  /**
   * @param address - of the service, without a slash at its end
   * @param folder - where `prepare` has put what it made
   * @param environment - variables that tell a program how to speak TLS, and who it is; see credentials.ts
   */
  open(address: string, folder: string, environment?: Readonly<Record<string, string>>): Promise<Caller>;
}

/** A stack of which callers of the service are made. */
export interface Client {
  readonly name: string;
  /** Commands that it needs. */
  readonly tools: readonly string[];
  /** Settings of the services that it is tried on. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Generates and compiles what the calls need, from the descriptions that a service publishes. */
  prepare?(address: string, folder: string): Promise<void>;
  /** Whether its program can speak TLS and show credentials. */
  readonly hasCredentials?: boolean;
  readonly bindings: readonly ClientBinding[];
}
