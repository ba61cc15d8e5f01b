import { DateTime, type PlainName, type Value } from '../contract';
import { NOT_PUT, type Put, putInteger } from './ascii-text';
import { readBase64, writeBase64 } from './base64';
import { putBoolean, readFormBoolean, readXmlBoolean } from './boolean';
import { type CharReading, readFormChar, readXmlChar } from './characters';
import { putDecimalText, readFormDecimal, readXmlDecimal, writeDecimal } from './decimal';
import { DOUBLE, type Precision, readFormNumber, readXmlNumber, SINGLE, writeNumber } from './floating-point';
import { readFormDateTime } from './form-date-time';
import { isGuid, putGuid, readGuid } from './guid';
import { BYTE, INT16, INT32, INT64, type IntegerRange, readInteger, readLong } from './integers';
import type { LocalClock } from './local-clock';
import { putDateTime } from './put-date-time';
import { putNumber } from './put-number';
import { readXmlDateTime } from './xml-date-time';

/** What reading depends on beside the text. */
export interface ReadingRules {
  readonly charReading: CharReading;
  readonly clock: LocalClock;
}

/** All that there is to know of a type without parts. */
export interface PlainTypeRow {
  /** The type that a handler's arguments and results have, as text of TypeScript. */
  readonly typeScript: string;
  /** The type's name in .NET's messages. */
  readonly dotNet: string;
  /** What stands for a value that the request does not carry. */
  readonly absent: Value;
  /**
   * Reads a value over SOAP.
   *
   * @returns undefined for what no reader of XML takes
   * @throws ValueError
   */
  readonly readXml: (text: string, rules: ReadingRules) => Value | undefined;
  /** Reads a value over HTTP GET and POST. @throws ValueError */
  readonly readForm: (text: string, rules: ReadingRules) => Value;
  /** The text of a value; undefined for one that is not of the type. */
  readonly write: (value: Value) => string | undefined;
  /** The quick way to the same text; undefined where there is none. */
  readonly put?: Put;
}

/** The table of types: how each is read, over SOAP and over GET and POST, and written. */
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
    put: (value, bytes, at) => {
      const number = typeof value === 'bigint' ? Number(value) : NaN;
      return Number.isSafeInteger(number) ? putInteger(number, bytes, at) : NOT_PUT;
    },
  },
  boolean: {
    typeScript: 'boolean',
    dotNet: 'System.Boolean',
    absent: false,
    readXml: readXmlBoolean,
    readForm: readFormBoolean,
    write: (value) => (typeof value === 'boolean' ? String(value) : undefined),
    put: (value, bytes, at) => (typeof value === 'boolean' ? putBoolean(value, bytes, at) : NOT_PUT),
  },
  decimal: {
    typeScript: 'string',
    dotNet: 'System.Decimal',
    absent: '0',
    readXml: readXmlDecimal,
    readForm: readFormDecimal,
    write: (value) => (typeof value === 'string' ? writeDecimal(value) : undefined),
    put: (value, bytes, at) => (typeof value === 'string' ? putDecimalText(value, bytes, at) : NOT_PUT),
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
    put: (value, bytes, at) => (value instanceof DateTime ? putDateTime(value, bytes, at) : NOT_PUT),
  },
  guid: {
    typeScript: 'string',
    dotNet: 'System.Guid',
    absent: '00000000-0000-0000-0000-000000000000',
    readXml: readGuid,
    readForm: readGuid,
    write: (value) => (typeof value === 'string' && isGuid(value) ? value.toLowerCase() : undefined),
    put: (value, bytes, at) => (typeof value === 'string' ? putGuid(value, bytes, at) : NOT_PUT),
  },
  base64Binary: {
    typeScript: 'Uint8Array',
    dotNet: 'System.Byte[]',
    absent: null,
    readXml: readBase64,
    // Over GET and POST it is a list of bytes.
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
    put: (value, bytes, at) =>
      typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
        ? putInteger(value, bytes, at)
        : NOT_PUT,
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
    put: (value, bytes, at) => (typeof value === 'number' ? putNumber(value, precision, bytes, at) : NOT_PUT),
  };
}
