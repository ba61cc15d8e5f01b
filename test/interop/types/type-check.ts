import type { SoapBinding } from '../client';

/** Describes what became of one value. */
export interface TypeCheck {
  readonly what: string;
  /** Undefined where it came back as it was sent. */
  readonly failure: string | undefined;
}

/** How a stack tries the types of Types.asmx. */
export interface TypesCaller {
  /** Generates and compiles what the checks need. */
  prepare?(address: string, folder: string): Promise<void>;
  /** @param address - of Types.asmx */
  check(address: string, binding: SoapBinding, folder: string): Promise<readonly TypeCheck[]>;
}
