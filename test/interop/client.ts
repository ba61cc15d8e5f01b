import { BINDING_TITLES } from '../../scripts/harness';
import type { Binding } from '../../src/asmx';
import type { DescribedOperation } from '../harness/contract-operations';
import type { Fault, Outcome } from './outcome';

/** Arguments in the order of the contract; null is one that the caller leaves out. */
export type Arguments = readonly (string | null)[];

/** The bindings whose messages are envelopes. */
export type SoapBinding = Extract<Binding, `soap${string}`>;

/** Names them as programs do. */
export const SOAP_VERSIONS: Readonly<Record<SoapBinding, string>> = { soap11: '1.1', soap12: '1.2' };

/** A call that ended in an exception of the stack's that stands for no fault. */
export class BrokenCall extends Error {
  readonly type: string;
  readonly text: string;

  /**
   * @param type - name of the exception
   * @param text - its message
   * @param whole - all that the stack says of it
   */
  constructor(type: string, text: string, whole: string) {
    super(whole);
    this.type = type;
    this.text = text;
  }
}

/** A client that is ready to call a service. */
export interface Caller {
  /** @throws BrokenCall when the call ends otherwise than with an answer or a fault */
  call(operation: DescribedOperation, args: Arguments): Promise<Outcome>;
  close(): Promise<void>;
}

export interface ClientBinding {
  readonly name: Binding;
  /** True if an argument that is null is left out of the request; else it arrives as the empty string. */
  readonly leavesOut: boolean;
  /** Returns what the client's stack makes of a call that the service refuses for this reason. */
  fault(reason: string): Fault;
  /**
   * @param address - of the service, without a slash at its end
   * @param folder - where `prepare` has put what it made
   * @param environment - variables that tell a program how to speak TLS, and who it is; see credentials.ts
   * @param descriptions - address of the service whose descriptions are read, where they are read at run time; the
   *   same unless given
   */
  open(
    address: string,
    folder: string,
    environment?: Readonly<Record<string, string>>,
    descriptions?: string,
  ): Promise<Caller>;
}

/** Describes what callers are made of; docs/integrate-a-client.md has a column for each. */
export interface Stack {
  readonly name: string;
  /** Its name and what this machine has of it, without patch versions: `node-soap 1.13`. */
  title(): Promise<string>;
}

/** A way to call the service, of a stack or by hand. */
export interface Client {
  /** It is chosen by this name, which the lines of a run show. */
  readonly name: string;
  /** Undefined for requests by hand. */
  readonly stack?: Stack;
  /** Describes what it does otherwise than its stack does by itself. */
  readonly manner?: string;
  /** Commands that it needs: names on the PATH, or files. */
  readonly tools: readonly string[];
  /** Holds what must be installed beside them: a command ends well where it is. */
  readonly modules?: readonly { readonly name: string; readonly command: readonly [string, ...string[]] }[];
  /** Settings of the services that it is tried on. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Generates and compiles what the calls need, from the descriptions that a service publishes. */
  readonly prepare?: (address: string, folder: string) => Promise<void>;
  /** True if its program can speak TLS and show credentials. */
  readonly hasCredentials?: boolean;
  readonly bindings: readonly ClientBinding[];
}

/** Where in the tables of a run a client's calls over a binding stand. */
export function placeOf(
  { name, stack, manner }: Client,
  binding: Binding,
): { readonly client: string; readonly column: string } {
  const title = BINDING_TITLES[binding];
  if (stack === undefined) return { client: name, column: title };
  return { client: stack.name, column: manner === undefined ? title : `${title}, ${manner}` };
}
