import {
  type AttributeContract,
  type ElementContract,
  type EnumerationType,
  isValueType,
  type PlainType,
  type Value,
  type ValueType,
} from '../contract/values';
import { PLAIN_TYPES, readFormName, type ReadingRules, readXmlName } from './plain-types';

/** Instructions for reading the values of an element, compiled once at start. */
export type ElementReader = TextReader | RecordReader | ListReader;

interface NamedElement {
  readonly name: string;
  /** Index among the elements of its parent. */
  readonly index: number;
  /** True if `xsi:nil` is honoured. */
  readonly nillable: boolean;
}

/** A value read from text. */
export interface TextReader extends NamedElement {
  readonly kind: 'text';
  /** True for bytes; comments and instructions may interrupt their characters. */
  readonly isBinary: boolean;
  /**
   * @returns undefined for text that no XML reader accepts.
   * @throws ValueError
   */
  readonly read: (text: string) => Value | undefined;
}

/** A record: an element whose children and attributes are its fields. */
export interface RecordReader extends NamedElement {
  readonly kind: 'record';
  readonly type: string;
  readonly parts: RecordParts;
}

/** Fields of a record, or of an operation, whose parameters are fields of its element. */
export interface RecordParts {
  /** Initial values of all fields, for those that the request leaves out. */
  readonly absent: Readonly<Record<string, Value>>;
  readonly elements: ReadonlyMap<string, ElementReader>;
  readonly attributes: ReadonlyMap<string, (text: string) => Value | undefined>;
}

export interface ListReader extends NamedElement {
  readonly kind: 'list';
  readonly item: ElementReader;
}

/** Compiles the reading of a record's fields, or of an operation's parameters. */
export function compileParts(
  {
    elements,
    attributes,
  }: { readonly elements: readonly ElementContract[]; readonly attributes: readonly AttributeContract[] },
  rules: ReadingRules,
): RecordParts {
  const readers = elements.map((element, index) => compileElement(element, index, rules));
  return {
    absent: Object.fromEntries([...attributes, ...elements].map((part) => [part.name, absentValue(part)])),
    elements: new Map(readers.map((reader) => [reader.name, reader])),
    attributes: new Map(attributes.map(({ name, type }) => [name, xmlReading(type, rules)])),
  };
}

function compileElement(
  { name, type, nillable }: ElementContract,
  index: number,
  rules: ReadingRules,
): ElementReader {
  const named = { name, index, nillable };
  switch (type.kind) {
    case 'record':
      return { ...named, kind: 'record', type: type.name, parts: compileParts(type, rules) };
    case 'list':
      // A nil list is null, whether or not the description allows nil.
      return { ...named, nillable: true, kind: 'list', item: compileElement(type.item, 0, rules) };
    default:
      return {
        ...named,
        kind: 'text',
        isBinary: type.name === 'base64Binary',
        read: xmlReading(type, rules),
      };
  }
}

/**
 * Returns the value of an absent element or attribute: null, or the type's default if its .NET value cannot
 * be null and the element is required.
 */
function absentValue({
  type,
  optional,
  nillable = false,
}: Pick<ElementContract, 'type' | 'optional'> & { readonly nillable?: boolean }): Value {
  if (nillable || optional || !isValueType(type)) return null;
  return type.kind === 'enumeration' ? type.values[0] : PLAIN_TYPES[(type as PlainType).name].absent;
}

function xmlReading(
  type: PlainType | EnumerationType,
  rules: ReadingRules,
): (text: string) => Value | undefined {
  if (type.kind === 'enumeration') return (text) => readXmlName(text, type);
  const { readXml } = PLAIN_TYPES[type.name];
  return (text) => readXml(text, rules);
}

/** Conversion of a text over HTTP GET and POST to a value, with .NET's name of the type for messages. */
export interface FormReading {
  readonly dotNet: string;
  /** True if the parameter's name may be repeated, each time with one more item. */
  readonly isList: boolean;
  /** True for bytes. */
  readonly isBinary: boolean;
  /** @throws ValueError */
  readonly read: (text: string) => Value;
}

/**
 * Compiles the reading of a parameter over HTTP GET and POST.
 *
 * @param dotNetNamespace namespace of the service's own types
 * @returns undefined for a type that ASP.NET offers over SOAP only
 */
export function compileFormReading(
  type: ValueType,
  rules: ReadingRules,
  dotNetNamespace: string | undefined,
): FormReading | undefined {
  switch (type.kind) {
    case 'record':
      return undefined;
    case 'list': {
      const item = compileFormReading(type.item.type, rules, dotNetNamespace);
      return item === undefined || item.isList ? undefined : { ...item, isList: true };
    }
    case 'enumeration':
      return {
        dotNet: dotNetName(type.name, dotNetNamespace),
        isList: false,
        isBinary: false,
        read: (text) => readFormName(text, type),
      };
    case 'plain': {
      const isBinary = type.name === 'base64Binary';
      const { dotNet, readForm } = PLAIN_TYPES[isBinary ? 'unsignedByte' : type.name];
      return { dotNet, isList: isBinary, isBinary, read: (text) => readForm(text, rules) };
    }
  }
}

/** Returns .NET's name of one of the service's own types. */
export function dotNetName(name: string, namespace: string | undefined): string {
  return namespace === undefined ? name : `${namespace}.${name}`;
}
