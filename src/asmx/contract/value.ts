import type { DateTime } from './date-time';

/**
 * A value of a contract's types: number for `int`, `short`, `unsignedByte`, `double` and `float`, bigint for `long`,
 * the digits of a `decimal`, the character of a `char`, the name of an enumeration, 36 characters for a `guid`, bytes
 * for `base64Binary`; an object for a record, an array for a list.
 */
export type Value =
  null | string | number | bigint | boolean | DateTime | Uint8Array | RecordValue | readonly Value[];

/** A record, by the contract's names of its attributes and elements; what is null may be left out. */
export interface RecordValue {
  readonly [name: string]: Value | undefined;
}

/**
 * Arguments by the contract's parameter names. What the request did not carry is null, or of a type that cannot be
 * null its default.
 */
export type OperationArguments = Readonly<Record<string, Value>>;
