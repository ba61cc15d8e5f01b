import { DateTime } from '../contract/date-time';
import type { EnumerationType, PlainName, Value } from '../contract/values';
import { readBase64, writeBase64 } from './binary';
import { readFormDecimal, readXmlDecimal, writeDecimal } from './decimal';
import { readFormDateTime } from './form-date-time';
import { isGuid, readGuid } from './guid';
import {
  BYTE,
  DOUBLE,
  INT16,
  INT32,
  INT64,
  type IntegerRange,
  type Precision,
  readFormNumber,
  readInteger,
  readLong,
  readXmlNumber,
  SINGLE,
  UINT16,
  writeNumber,
} from './integers';
import type { LocalClock } from './local-clock';
import { trimXml } from './trim';
import { ValueError } from './value-error';
import { readXmlDateTime } from './xml-date-time';

const XML_WORDS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** Reads a boolean as XML Schema defines it. @throws ValueError */
export function readXmlBoolean(text: string): boolean {
  const trimmed = trimXml(text);
  const value = XML_WORDS.get(trimmed);
  if (value === undefined) throw new ValueError(`The string '${trimmed}' is not a valid Boolean value.`);
  return value;
}

/** Reads a boolean as Boolean.Parse does: `True` and `False` in any case. @throws ValueError */
function readFormBoolean(text: string): boolean {
  // Words that are too long even without their blanks are not examined.
  const word = text.replaceAll('\0', ' ').trim().toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new ValueError('String was not recognized as a valid Boolean.');
}

/** Reading of SOAP values of .NET's char type; see {@link readXmlChar}. */
export type CharReading = 'strict' | 'lenient';

/**
 * Reads a char's SOAP value: the decimal number of one UTF-16 unit, blanks around it allowed (wire contract,
 * section 5). The lenient reading also accepts a single character as itself, for callers with hand-written
 * envelopes; so a lone digit is that digit, which as a number would be a control character.
 *
 * @throws ValueError
 */
function readXmlChar(text: string, reading: CharReading): string {
  if (reading === 'lenient' && text.length === 1) return text;
  return String.fromCharCode(readInteger(text, UINT16, 'unsigned'));
}

/** Reads a char over GET and POST: exactly one UTF-16 unit, the character itself. @throws ValueError */
function readFormChar(text: string): string {
  if (text.length !== 1) throw new ValueError('String must be exactly one character long.');
  return text;
}

/** Reads an enumeration's name over SOAP, where no white space is allowed around it. @throws ValueError */
export function readXmlName(text: string, { name, values }: EnumerationType): string {
  if (values.includes(text)) return text;
  throw new ValueError(invalidName(text, name));
}

/** Returns .NET's message for an unknown enumeration name. */
export function invalidName(value: string, type: string): string {
  return `Instance validation error: '${value}' is not a valid value for ${type}.`;
}

/**
 * Reads an enumeration as Enum.Parse does: a name, several names separated by commas, or a number; the result
 * is the name with the combined number. Numbers are assumed to start at zero, as .NET's do by default; a
 * number without a name is kept as digits, as .NET does.
 *
 * @throws ValueError
 */
export function readFormName(text: string, { values }: EnumerationType): string {
  const trimmed = text.trim();
  if (trimmed === '') throw new ValueError('Must specify valid information for parsing in the string.');
  const number = parseNumber(trimmed) ?? numberOfNames(trimmed, values);
  if (number === undefined) throw new ValueError(`Requested value '${trimmed}' was not found.`);
  return values[number] ?? String(number);
}

function parseNumber(text: string): number | undefined {
  return /^[+-]?[0-9]+$/.test(text) ? readInteger(text, INT32, 'signed') : undefined;
}

function numberOfNames(text: string, values: readonly string[]): number | undefined {
  let number = 0;
  for (const name of text.split(',')) {
    const index = values.indexOf(name.trim());
    if (index < 0) return undefined;
    number |= index;
  }
  return number;
}

/** Settings that influence reading. */
export interface ReadingRules {
  readonly charReading: CharReading;
  readonly clock: LocalClock;
}

/** Everything about a type without parts. */
export interface PlainTypeRow {
  /** TypeScript type of a handler's arguments and results, as text. */
  readonly typeScript: string;
  /** The type's name in .NET's messages. */
  readonly dotNet: string;
  /** Value if the request does not carry one. */
  readonly absent: Value;
  /**
   * Reads a value over SOAP.
   *
   * @returns undefined for text that no XML reader accepts
   * @throws ValueError
   */
  readonly readXml: (text: string, rules: ReadingRules) => Value | undefined;
  /** Reads a value over HTTP GET and POST. @throws ValueError */
  readonly readForm: (text: string, rules: ReadingRules) => Value;
  /** Returns the text of a value; undefined for one that is not of the type. */
  readonly write: (value: Value) => string | undefined;
}

/** Readers and writers of each type, over SOAP and over GET and POST. */
export const PLAIN_TYPES: Readonly<Record<PlainName, PlainTypeRow>> = {
  string: {
    typeScript: 'string',
    dotNet: 'System.String',
    absent: null,
    readXml: (text) => text,
    readForm: (text) => text,
    write: (value) => (typeof value === 'string' ? value : undefined),
  },
  char: {
    typeScript: 'string',
    dotNet: 'System.Char',
    absent: '\0',
    readXml: (text, { charReading }) => readXmlChar(text, charReading),
    readForm: readFormChar,
    write: (value) =>
      typeof value === 'string' && value.length === 1 ? String(value.charCodeAt(0)) : undefined,
  },
  int: integer('System.Int32', INT32),
  short: integer('System.Int16', INT16),
  unsignedByte: integer('System.Byte', BYTE, 'unsigned'),
  long: {
    typeScript: 'bigint',
    dotNet: 'System.Int64',
    absent: 0n,
    readXml: readLong,
    readForm: readLong,
    write: (value) =>
      typeof value === 'bigint' && value >= INT64.least && value <= INT64.most ? String(value) : undefined,
  },
  boolean: {
    typeScript: 'boolean',
    dotNet: 'System.Boolean',
    absent: false,
    readXml: readXmlBoolean,
    readForm: readFormBoolean,
    write: (value) => (typeof value === 'boolean' ? String(value) : undefined),
  },
  decimal: {
    typeScript: 'string',
    dotNet: 'System.Decimal',
    absent: '0',
    readXml: readXmlDecimal,
    readForm: readFormDecimal,
    write: (value) => (typeof value === 'string' ? writeDecimal(value) : undefined),
  },
  double: floatingPoint('System.Double', DOUBLE),
  float: floatingPoint('System.Single', SINGLE),
  dateTime: {
    typeScript: 'DateTime',
    dotNet: 'System.DateTime',
    absent: DateTime.MIN,
    readXml: (text, { clock }) => readXmlDateTime(text, clock),
    readForm: (text, { clock }) => readFormDateTime(text, clock),
    write: (value) => (value instanceof DateTime ? value.toString() : undefined),
  },
  guid: {
    typeScript: 'string',
    dotNet: 'System.Guid',
    absent: '00000000-0000-0000-0000-000000000000',
    readXml: readGuid,
    readForm: readGuid,
    write: (value) => (typeof value === 'string' && isGuid(value) ? value.toLowerCase() : undefined),
  },
  base64Binary: {
    typeScript: 'Uint8Array',
    dotNet: 'System.Byte[]',
    absent: null,
    readXml: readBase64,
    // Over GET and POST, bytes are a list of numbers.
    readForm: (text, rules) => PLAIN_TYPES.unsignedByte.readForm(text, rules),
    write: (value) => (value instanceof Uint8Array ? writeBase64(value) : undefined),
  },
};

function integer(dotNet: string, range: IntegerRange, sign: 'signed' | 'unsigned' = 'signed'): PlainTypeRow {
  const { least, most } = range;
  return {
    typeScript: 'number',
    dotNet,
    absent: 0,
    readXml: (text) => readInteger(text, range, sign),
    readForm: (text) => readInteger(text, range, 'signed'),
    write: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
        ? String(value)
        : undefined,
  };
}

function floatingPoint(dotNet: string, precision: Precision): PlainTypeRow {
  return {
    typeScript: 'number',
    dotNet,
    absent: 0,
    readXml: (text) => readXmlNumber(text, precision),
    readForm: (text) => readFormNumber(text, precision),
    write: (value) => (typeof value === 'number' ? writeNumber(value, precision) : undefined),
  };
}
