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

/** How the values of an element are read; made once at start, so that a request only follows it. */
export type ElementReader = TextReader | RecordReader | ListReader;

interface Named {
  readonly name: string;
  /** Its place among the elements of its parent. */
  readonly index: number;
  /** Whether `xsi:nil` counts. */
  readonly nillable: boolean;
}

/** A value that is a text. */
export interface TextReader extends Named {
  readonly kind: 'text';
  /** Bytes; comments and instructions may stand among their characters. */
  readonly isBinary: boolean;
  /** @returns undefined for what no reader of XML takes. @throws ValueError */
  readonly read: (text: string) => Value | undefined;
}

/** A record: an element whose children and attributes are its fields. */
export interface RecordReader extends Named {
  readonly kind: 'record';
  readonly type: string;
  readonly parts: RecordParts;
}

/** What a record is made of; that of an operation, whose parameters are fields of its element, too. */
export interface RecordParts {
  /** What every field is until the request says otherwise. */
  readonly absent: Readonly<Record<string, Value>>;
  readonly elements: ReadonlyMap<string, ElementReader>;
  readonly attributes: ReadonlyMap<string, (text: string) => Value | undefined>;
}

export interface ListReader extends Named {
  readonly kind: 'list';
  readonly item: ElementReader;
}

/** Prepares the reading of a record's fields, or of an operation's parameters. */
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
      // A list that is nil is none, whether or not the description says so.
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
 * What stands for an element or an attribute that is absent: null, but the default of its type where .NET's value
 * cannot be null and the element has to be there.
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

/** How a text over HTTP GET and POST becomes a value, and what .NET calls its type in messages. */
export interface FormReading {
  readonly dotNet: string;
  /** Whether the parameter's name may come again, each time with one more item. */
  readonly isList: boolean;
  /** Of bytes. */
  readonly isBinary: boolean;
  /** @throws ValueError */
  readonly read: (text: string) => Value;
}

/**
 * Prepares the reading of a parameter over HTTP GET and POST.
 *
 * @param dotNetNamespace of the types that are the service's own
 * @returns undefined for a type that ASP.NET offers over SOAP alone
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

/** .NET's name of a type of the service's own. */
export function dotNetName(name: string, namespace: string | undefined): string {
  return namespace === undefined ? name : `${namespace}.${name}`;
}
