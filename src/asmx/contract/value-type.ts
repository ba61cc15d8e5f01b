/** The types that have a name and no parts: those of XML Schema, and Microsoft's `guid` and `char`. */
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

/** What a parameter, a result, or a part of one is. The name is the root element over HTTP GET and POST. */
export type ValueType = PlainType | EnumerationType | RecordType | ListType;

export interface PlainType {
  readonly kind: 'plain';
  readonly name: PlainName;
}

/** .NET's enum: one of some names. */
export interface EnumerationType {
  readonly kind: 'enumeration';
  readonly name: string;
  /** In the order of the document; the first is the default. */
  readonly values: readonly [string, ...string[]];
}

/** A class or a struct; no type holds itself, however deep. */
export interface RecordType {
  readonly kind: 'record';
  readonly name: string;
  readonly attributes: readonly AttributeContract[];
  readonly elements: readonly ElementContract[];
}

/** An array: an element that holds its items. */
export interface ListType {
  readonly kind: 'list';
  readonly name: string;
  readonly item: ElementContract;
}

export interface AttributeContract {
  readonly name: string;
  readonly type: PlainType | EnumerationType;
  /** It may be left out, and is where its value is null. */
  readonly optional: boolean;
}

export interface ElementContract {
  readonly name: string;
  readonly type: ValueType;
  /** It may be left out, and is where its value is null and it is not nillable. */
  readonly optional: boolean;
  /** Null is written as `xsi:nil`. Of .NET's value types it makes one that can be null (`int?`). */
  readonly nillable: boolean;
}

/** The types that can be null in .NET by themselves; of the others null has to be declared. */
const REFERENCES: ReadonlySet<string> = new Set<PlainName>(['string', 'base64Binary']);

/** Whether a type is one of .NET's value types, which have a default in place of null. */
export function isValueType({ kind, name }: ValueType): boolean {
  return kind === 'enumeration' || (kind === 'plain' && !REFERENCES.has(name));
}
