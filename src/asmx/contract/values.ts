import type { DateTime } from './date-time';

/**
 * A value of a contract's types: number for `int`, `short`, `unsignedByte`, `double` and `float`, bigint for
 * `long`, the digits of a `decimal`, the character of a `char`, the name of an enumeration, 36 characters for
 * a `guid`, bytes for `base64Binary`; an object for a record, an array for a list.
 */
export type Value =
  null | string | number | bigint | boolean | DateTime | Uint8Array | RecordValue | readonly Value[];

/** A record, keyed by the contract's names of its attributes and elements; null values may be omitted. */
export interface RecordValue {
  readonly [name: string]: Value | undefined;
}

/**
 * Arguments by the contract's parameter names. A parameter missing from the request is null, or its default
 * if its type cannot be null.
 */
export type OperationArguments = Readonly<Record<string, Value>>;

/** Names of the types without parts: those of XML Schema, and Microsoft's `guid` and `char`. */
export const PLAIN_NAMES = [
  'string',
  'char',
  'int',
  'long',
  'short',
  'unsignedByte',
  'boolean',
  'decimal',
  'double',
  'float',
  'dateTime',
  'guid',
  'base64Binary',
] as const;

export type PlainName = (typeof PLAIN_NAMES)[number];

/** Type of a parameter, a result, or a part of one. Its name is the root element over HTTP GET and POST. */
export type ValueType = PlainType | EnumerationType | RecordType | ListType;

export interface PlainType {
  readonly kind: 'plain';
  readonly name: PlainName;
}

/** .NET's enum: one of a fixed set of names. */
export interface EnumerationType {
  readonly kind: 'enumeration';
  readonly name: string;
  /** In the order of the document; the first is the default. */
  readonly values: readonly [string, ...string[]];
}

/** A class or a struct; no type contains itself at any depth. */
export interface RecordType {
  readonly kind: 'record';
  readonly name: string;
  readonly attributes: readonly AttributeContract[];
  readonly elements: readonly ElementContract[];
}

/** An array: an element that contains its items. */
export interface ListType {
  readonly kind: 'list';
  readonly name: string;
  readonly item: ElementContract;
}

export interface AttributeContract {
  readonly name: string;
  readonly type: PlainType | EnumerationType;
  /** May be omitted, and is when its value is null. */
  readonly optional: boolean;
}

export interface ElementContract {
  readonly name: string;
  readonly type: ValueType;
  /** May be omitted, and is when its value is null and it is not nillable. */
  readonly optional: boolean;
  /** Null is written as `xsi:nil`. Makes a .NET value type nullable (`int?`). */
  readonly nillable: boolean;
}

/** Types that .NET always allows to be null; for the others null must be declared. */
const REFERENCES: ReadonlySet<string> = new Set<PlainName>(['string', 'base64Binary']);

/** Returns true for one of .NET's value types, which have a default in place of null. */
export function isValueType({ kind, name }: ValueType): boolean {
  return kind === 'enumeration' || (kind === 'plain' && !REFERENCES.has(name));
}
