// The wire contract, section 5: what .NET Framework's readers and writers make of each type, as its code does on Mono.

import fc from 'fast-check';

import type { PlainName, Value } from '../../../src/asmx/contract/values';
import { localClock } from '../../../src/asmx/types/local-clock';
import { PLAIN_TYPES, type ReadingRules } from '../../../src/asmx/types/plain-types';
import { ValueError } from '../../../src/asmx/types/value-error';
import { errorMessages } from '../../../src/asmx/error-messages';

const RULES: ReadingRules = {
  charReading: 'strict',
  clock: localClock('Europe/Istanbul', () => Date.parse('2026-11-22T12:00:00Z')),
};
const FORMAT = 'Input string was not in a correct format.';
const range = (type: string): string => `Value was either too large or too small for ${type}.`;
const notBoolean = (text: string): string => `The string '${text}' is not a valid Boolean value.`;
const notDate = (text: string): string => `The string '${text}' is not a valid AllXsd value.`;
const BOOLEAN = 'String was not recognized as a valid Boolean.';
const TOO_LATE =
  'The added or subtracted value results in an un-representable DateTime.\r\nParameter name: value';
const DATE = 'String was not recognized as a valid DateTime.';
const CALENDAR =
  'The DateTime represented by the string is not supported in calendar System.Globalization.GregorianCalendar.';
const GUID_LENGTH = 'Guid should contain 32 digits with 4 dashes (xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx).';
const GUID = '01234567-89ab-cdef-0123-456789abcdef';
const unknownWord = (index: number): string =>
  `The string was not recognized as a valid DateTime. There is an unknown word starting at index ${String(index)}.`;

/** Returns what becomes of a text: what its value is written as, or the messages of what is wrong with it. */
function outcome(read: () => Value | undefined, type: PlainName): string {
  try {
    const value = read();
    return value === undefined ? 'unreadable' : (PLAIN_TYPES[type].write(value) ?? 'of another type');
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    return errorMessages(error).join(' > ');
  }
}

/** A type, a text, and what becomes of it over SOAP, and over GET and POST where that is another thing. */
type Row = readonly [type: PlainName, text: string, soap: string, form?: string];

const NUMBERS: readonly Row[] = [
  ['int', '+5', '5'],
  ['int', ' -0 ', '0'],
  ['int', '\t5\n', '5'],
  ['int', '000000000000000000000000000001', '1'],
  ['int', '2147483647', '2147483647'],
  ['int', '-2147483648', '-2147483648'],
  ['int', '-2147483649', range('an Int32')],
  ['int', '99999999999999999999999', range('an Int32')],
  ...['', ' ', '--5', '- 5', '5-', '1.0', '1e2', '0x1F', '1,000', '\u00a05', '٣', '99999999999x'].map(
    (text): Row => ['int', text, FORMAT],
  ),
  ['int', '5\0\0', '5'],
  ['int', '\r5\r', '5'],
  ['int', '\v5\f', '5'],
  ['int', '\u000e5', FORMAT],
  ['int', '\t\r\n ', FORMAT],
  ['short', '-32768', '-32768'],
  ['short', '32768', range('an Int16')],
  ['short', '4294967296', `${range('an Int16')} > ${range('an Int32')}`],
  ['unsignedByte', '007', '7'],
  ['unsignedByte', '+5', FORMAT, '5'],
  ['unsignedByte', '-1', FORMAT, range('an unsigned byte')],
  ['unsignedByte', '256', range('an unsigned byte')],
  ['unsignedByte', '99999999999', `${range('an unsigned byte')} > ${range('an Int32')}`],
  ['long', '9007199254740993', '9007199254740993'],
  ['long', '-9223372036854775808', '-9223372036854775808'],
  ['long', '9223372036854775808', range('an Int64')],
  ['long', '9223372036854775807', '9223372036854775807'],
  ['long', '-9223372036854775809', range('an Int64')],
  ['long', '-0', '0'],
  ['decimal', '+1', '1'],
  ['decimal', '-.5', '-0.5'],
  ['decimal', '.25', '0.25'],
  ['decimal', '.x', FORMAT],
  ['decimal', '1,000.25', FORMAT, '1000.25'],
  ['decimal', `${'0'.repeat(38)}1`, '1'],
  ['decimal', `0.${'1'.repeat(40)}`, `0.${'1'.repeat(28)}`],
  ['decimal', '5.', '5'],
  ['decimal', '-0.00', '0.00'],
  ['decimal', '00001.50', '1.50'],
  ['decimal', '1-', FORMAT, '-1'],
  ['decimal', '1 -', FORMAT, '-1'],
  ['decimal', '-1-', FORMAT],
  ['decimal', '1,,5', FORMAT, '15'],
  ['decimal', ',5', FORMAT],
  ['decimal', '1e3', FORMAT],
  ['decimal', '.', FORMAT],
  ['decimal', '', FORMAT],
  ['decimal', '79228162514264337593543950335', '79228162514264337593543950335'],
  ['decimal', '79228162514264337593543950336', range('a Decimal')],
  ['decimal', '79228162514264337593543950335.4', '79228162514264337593543950335'],
  ['decimal', '79228162514264337593543950335.5', range('a Decimal')],
  ['decimal', '79228162514264337593543950334.5', '79228162514264337593543950334'],
  ['decimal', '7922816251426433759354395033.55', '7922816251426433759354395034'],
  ['decimal', '0.12345678901234567890123456789', '0.1234567890123456789012345679'],
  ['decimal', '0.00000000000000000000000000005', '0.0000000000000000000000000000'],
  ['decimal', '0.00000000000000000000000000015', '0.0000000000000000000000000002'],
  ['decimal', `0.${'0'.repeat(32)}`, `0.${'0'.repeat(28)}`],
  ['decimal', `0.${'0'.repeat(32)}1`, `0.${'0'.repeat(28)}`],
  ['decimal', `0.${'0'.repeat(27)}2500`, `0.${'0'.repeat(27)}2`],
  ['decimal', `0.${'0'.repeat(27)}2501`, `0.${'0'.repeat(27)}3`],
  ['decimal', '79228162514264337593543950334.6', '79228162514264337593543950335'],
  ['decimal', '1' + '0'.repeat(30), range('a Decimal')],
  ['double', '0.1', '0.1'],
  ['double', '-1.50', '-1.5'],
  ['double', '-.25', '-0.25'],
  ['double', '.x5', FORMAT],
  ['double', '1,000.25', FORMAT, '1000.25'],
  ['double', '1e14', '100000000000000'],
  ['double', '1e15', '1E+15'],
  ['double', '1234567890123456', '1234567890123456'],
  ['double', '123456789012345680', '1.2345678901234568E+17'],
  ['double', '0.0001', '0.0001'],
  ['double', '0.00001', '1E-05'],
  // 0.0000999999974737875 as a Single, rounded to 7 digits.
  ['float', '0.0001', '0.0001'],
  ['double', '3.141592653589793', '3.1415926535897931'],
  ['double', '0.30000000000000004', '0.30000000000000004'],
  ['double', '4.9e-324', '4.94065645841247E-324'],
  ['double', '1.7976931348623157e308', '1.7976931348623157E+308'],
  ['double', '1e400', range('a Double')],
  ['double', '1e-400', '0'],
  ['double', '-0', '-0', '0'],
  ['double', '1,000.5', FORMAT, '1000.5'],
  ['double', ' NaN ', 'NaN'],
  ['double', 'INF', 'INF', FORMAT],
  ['double', '-INF', '-INF', FORMAT],
  ['double', '-Infinity', '-INF'],
  ...['', '1e', '1e+', 'nan', '+INF', '0x1', '1d', '(1)', '1-', '1 e5'].map((text): Row => [
    'double',
    text,
    FORMAT,
  ]),
  ['float', '16777217', '16777216'],
  ['float', '123456789', '123456792'],
  ['float', '1234567.8', '1234567.75'],
  ['float', '1e7', '1E+07'],
  ['float', '0.1', '0.1'],
  ['float', '3.14159274', '3.14159274'],
  ['float', '1e-45', '1.401298E-45'],
  ['float', '3.4028235e38', '3.40282347E+38'],
  ['float', '3.4028236e38', range('a Single')],
];

const DATES: readonly Row[] = [
  ['dateTime', ' 2026-11-22T08:30:00 ', '2026-11-22T08:30:00'],
  ['dateTime', '2026-11-22', '2026-11-22T00:00:00'],
  ['dateTime', '2026-11-22T08:30:00.1200', '2026-11-22T08:30:00.12'],
  ['dateTime', '2026-11-22T08:30:00.12345675', '2026-11-22T08:30:00.1234568'],
  ['dateTime', '2026-11-22T08:30:00.12345664', '2026-11-22T08:30:00.1234566'],
  ['dateTime', '2026-11-22T08:30:00.123456650', '2026-11-22T08:30:00.1234566'],
  ['dateTime', '2026-11-22T08:30:00.1234566500001', '2026-11-22T08:30:00.1234567'],
  ['dateTime', '2026-11-22T08:30:00.1234567500', '2026-11-22T08:30:00.1234568'],
  ['dateTime', '2026-11-22T08:30:00.1234566x', notDate('2026-11-22T08:30:00.1234566x'), DATE],
  ['dateTime', '2026-11-22T08:30:00.99999999', '2026-11-22T08:30:01'],
  ['dateTime', '9999-12-31T23:59:59.99999999', TOO_LATE],
  ['dateTime', '2026-11-22T08:30:00Z', '2026-11-22T08:30:00Z', '2026-11-22T11:30:00+03:00'],
  ['dateTime', '2026-11-22T08:30:00+05:00', '2026-11-22T06:30:00+03:00'],
  ['dateTime', '2026-11-22T08:30:00-00:00', '2026-11-22T11:30:00+03:00'],
  ['dateTime', '2010-01-01T12:00:00+02:00', '2010-01-01T12:00:00+02:00'],
  ['dateTime', '2015-10-25T03:30:00+02:00', '2015-10-25T04:30:00+03:00'],
  [
    'dateTime',
    '2026-11-22T08:30:00+15:00',
    '2026-11-21T20:30:00+03:00',
    'The time zone offset must be within plus or minus 14 hours.',
  ],
  [
    'dateTime',
    '9999-12-31T23:59:59.9999999-05:00',
    '9999-12-31T23:59:59.9999999+03:00',
    'The DateTime represented by the string is out of range.',
  ],
  ['dateTime', '08:30:00', '2026-11-22T08:30:00'],
  ['dateTime', '08:30', notDate('08:30'), '2026-11-22T08:30:00'],
  ['dateTime', '2026-11', '2026-11-01T00:00:00'],
  ['dateTime', '2026', '2026-01-01T00:00:00', DATE],
  ['dateTime', '--11-22', '1904-11-22T00:00:00', DATE],
  ['dateTime', '--11', '2026-11-01T00:00:00', DATE],
  ['dateTime', '---22', '2026-01-22T00:00:00', DATE],
  ['dateTime', '2024-02-29T00:00:00', '2024-02-29T00:00:00'],
  ['dateTime', '2026-02-29T00:00:00', notDate('2026-02-29T00:00:00'), CALENDAR],
  ['dateTime', '2026-11-22T24:00:00', notDate('2026-11-22T24:00:00'), CALENDAR],
  ['dateTime', '2026-04-31', notDate('2026-04-31'), DATE],
  ['dateTime', '0000-01-01', notDate('0000-01-01'), DATE],
  ['dateTime', ' x ', notDate(' x '), unknownWord(1)],
  ['dateTime', '', notDate(''), DATE],
];

const FORM_DATES: readonly (readonly [text: string, written: string])[] = [
  ['11/22/2026 8:30 PM', '2026-11-22T20:30:00'],
  ['11/22/2026 8:30PM', '2026-11-22T20:30:00'],
  ['11/22/2026 8 PM', '2026-11-22T20:00:00'],
  ['11/22/2026 12:00 AM', '2026-11-22T00:00:00'],
  ['11/22/2026 12:00 PM', '2026-11-22T12:00:00'],
  ['8 AM', '2026-11-22T08:00:00'],
  ['8AM', '2026-11-22T08:00:00'],
  ['11PM', '2026-11-22T23:00:00'],
  ['11/22/2026  8:30  PM', '2026-11-22T20:30:00'],
  ['8:30:00.5 PM', '2026-11-22T20:30:00.5'],
  ['11/22/2026 08:30 +3', '2026-11-22T08:30:00+03:00'],
  ['11/22/2026 08:30 -5', '2026-11-22T16:30:00+03:00'],
  ['2026-11-22 08:30 +14:00', '2026-11-21T21:30:00+03:00'],
  ['11/22/2026 +5', '2026-11-21T22:00:00+03:00'],
  ['22 Nov 2026 +5', '2026-11-21T22:00:00+03:00'],
  ['11/22 +5', DATE],
  ['Nov 22 +5', DATE],
  ['+5', DATE],
  ['8:30 +5 +5', DATE],
  ['8:30 GMT GMT', unknownWord(9)],
  ['2026-11-22 08:30 -14:00', '2026-11-23T01:30:00+03:00'],
  ['2026-11-22 08:30 +14:01', 'The time zone offset must be within plus or minus 14 hours.'],
  ['2026-11-22T08:30:00.1234567 +05:00', '2026-11-22T06:30:00.1234567+03:00'],
  ['11/22/2026 08:30 zulu', unknownWord(17)],
  ['11/22/2026 08:30 gmtx', unknownWord(17)],
  [`${' '.repeat(996)}8:30`, '2026-11-22T08:30:00'],
  [`${' '.repeat(997)}8:30`, DATE],
  ['2026 22 Nov', '2026-11-22T00:00:00'],
  ['Nov 2026 22 08:30', '2026-11-22T08:30:00'],
  ['22 Nov 5 2026', DATE],
  ['Nov Dec 5 2026', unknownWord(4)],
  ['Sun Sun 22 Nov 2026', unknownWord(4)],
  ['1 2 3 4', DATE],
  ['1/2/20261', DATE],
  ['8:30 9:30', DATE],
  ['T 8:30', unknownWord(0)],
  ['8:30:60', CALENDAR],
  ['1/2/29', '2029-01-02T00:00:00'],
  ['1/2/30', '1930-01-02T00:00:00'],
  ['1/1/001', '0001-01-01T00:00:00'],
  ['11-22-2026', '2026-11-22T00:00:00'],
  ['11.22.2026', '2026-11-22T00:00:00'],
  ['11 22 2026', '2026-11-22T00:00:00'],
  ['2026/11', '2026-11-01T00:00:00'],
  ['11/2026', '2026-11-01T00:00:00'],
  ['11/22', '2026-11-22T00:00:00'],
  ['22/11/2026', DATE],
  ['22.11.2026', DATE],
  ['2026-11-22 08:30 GMT', '2026-11-22T11:30:00+03:00'],
  ['2026-11-22 08:30:00+130', '2026-11-22T10:00:00+03:00'],
  ['11/22/2026 08:30:00 +0300', '2026-11-22T08:30:00+03:00'],
  ['Sun, 22 Nov 2026 08:30:00 GMT', '2026-11-22T11:30:00+03:00'],
  ['Mon, 22 Nov 2026 08:30:00 GMT', `${DATE.slice(0, -1)} because the day of week was incorrect.`],
  ['22 Nov 2026', '2026-11-22T00:00:00'],
  ['November 22, 2026', '2026-11-22T00:00:00'],
  ['22-Nov-2026', '2026-11-22T00:00:00'],
  ['2026 Nov 22', '2026-11-22T00:00:00'],
  ['Nov 2026', '2026-11-01T00:00:00'],
  ['Nov 22', '2026-11-22T00:00:00'],
  ['22 Nov', '2022-11-01T00:00:00'],
  ['5May2026', '2026-05-05T00:00:00'],
  ['8:30 PM 11/22/2026', '2026-11-22T20:30:00'],
  ['2026-11-22,08:30', '2026-11-22T08:30:00'],
  ['2026-11-22 T 08:30', '2026-11-22T08:30:00'],
  ['2026-11-22T8:30:00', DATE],
  ['2026-11-22T08:3:00', DATE],
  ['2026-11-22T08:30:0Z', DATE],
  ['2026-11-22T08:30:00,', DATE],
  ['22-11-2026T08:30', DATE],
  ['1:02:03.', '2026-11-22T01:02:03'],
  ['1 PM', '2026-11-22T13:00:00'],
  ['13:00 PM', '2026-11-22T13:00:00'],
  ['13:00 AM', DATE],
  ['2026-11-22T08:30:00 PM', DATE],
  ['2026-11-22 8', DATE],
  ['Sept 5 2026', unknownWord(0)],
  ['4:05 a.m.', unknownWord(5)],
  ['Sunday', DATE],
  ['Nov', DATE],
  ['20261122', DATE],
  ['11//22/2026', DATE],
  ['-1', DATE],
  ['8:60', CALENDAR],
];

/** A text of each of XML Schema's forms, and the day and time that it names, without a zone. */
const XML_FORMS: readonly (readonly [text: string, written: string])[] = [
  ['2026-11-22T08:30:00.5', '2026-11-22T08:30:00.5'],
  ['2026-11-22', '2026-11-22T00:00:00'],
  ['08:30:00.5', '2026-11-22T08:30:00.5'],
  ['2026-11', '2026-11-01T00:00:00'],
  ['2026', '2026-01-01T00:00:00'],
  ['--11', '2026-11-01T00:00:00'],
  ['--11--', '2026-11-01T00:00:00'],
  ['---22', '2026-01-22T00:00:00'],
];

/** Days of a week, from one that is a Sunday on. */
const WEEK = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'].map(
  (name, index) => ({
    name,
    date: `${String(22 + index)} Nov 2026`,
    written: `2026-11-${String(22 + index)}T00:00:00`,
  }),
);
const YEAR = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
].map((name, index) => ({ name, written: `2026-${String(index + 1).padStart(2, '0')}-05T00:00:00` }));

const GUID_COMMA =
  "Could not find a comma, or the length between the previous token and the comma was zero (i.e., '0x,'etc.).";
/** Texts in the form of a structure that .NET refuses, each at another place. */
const GUID_STRUCTURES: readonly (readonly [text: string, message: string])[] = [
  ['a{', 'Expected {0xdddddddd, etc}.'],
  ['{1', "Expected hex 0x in '{0}'."],
  ['{0x1', GUID_COMMA],
  ['{0x,', GUID_COMMA],
  ['{0xg,', 'Could not find any recognizable digits.'],
  ['{0x123456789,', 'Value was either too large or too small for a UInt32.'],
  ['{0x1g,', 'Additional non-parsable characters are at the end of the string.'],
  ['{0x1,2,', "Expected hex 0x in '{0}'."],
  ['{0x1,0x2,0x3,0x4', 'Expected {0xdddddddd, etc}.'],
  ['{0x1,0x2,0x3,{0x100,', 'Value was either too large or too small for an unsigned byte.'],
  [
    '{0x1,0x2,0x3,{0x4,0x5,0x6,0x7,0x8,0x9,0xa,0x}}',
    "Could not find a brace, or the length between the previous token and the brace was zero (i.e., '0x,'etc.).",
  ],
  ['{0x1,0x2,0x3,{0x4,0x5,0x6,0x7,0x8,0x9,0xa,0xb}', 'Could not find the ending brace.'],
  [
    '{0x1,0x2,0x3,{0x4,0x5,0x6,0x7,0x8,0x9,0xa,0xb}}}',
    'Additional non-parsable characters are at the end of the string.',
  ],
];

const OTHERS: readonly Row[] = [
  ['string', ' a ', ' a '],
  ['boolean', '1', 'true', BOOLEAN],
  ['boolean', ' true\n', 'true'],
  ['boolean', 'TRUE', notBoolean('TRUE'), 'true'],
  ['boolean', '\u00a0true', notBoolean('\u00a0true'), 'true'],
  ['boolean', ' ', notBoolean(''), BOOLEAN],
  ['char', ' 065 ', '65', 'String must be exactly one character long.'],
  ['char', 'A', FORMAT, '65'],
  ['char', '+65', FORMAT, 'String must be exactly one character long.'],
  ['char', '65536', range('a UInt16'), 'String must be exactly one character long.'],
  [
    'char',
    '99999999999',
    `${range('a UInt16')} > ${range('a UInt32')}`,
    'String must be exactly one character long.',
  ],
  ['guid', ` ${GUID.toUpperCase()} `, GUID],
  ['guid', `{${GUID}}`, GUID],
  ['guid', `(${GUID})`, GUID],
  ['guid', GUID.replaceAll('-', ''), GUID],
  ['guid', '{0x1,0x2,0x3,{0x4,0x5,0x6,0x7,0x8,0x9,0xa,0xb}}', '00000001-0002-0003-0405-060708090a0b'],
  ['guid', `+${GUID.slice(1)}`, GUID],
  ['guid', `0x${GUID.slice(2)}`, `00${GUID.slice(2)}`],
  ['guid', `${GUID.slice(0, 24)}+${GUID.slice(25)}`, `${GUID.slice(0, 24)}0${GUID.slice(25)}`],
  ['guid', `-${GUID.slice(1)}`, 'Unrecognized Guid format.'],
  ['guid', `g${GUID.slice(1)}`, 'Could not find any recognizable digits.'],
  ['guid', `0123456g${GUID.slice(8)}`, 'Guid string should only contain hexadecimal characters.'],
  [
    'guid',
    `${GUID.slice(0, 10)}-${GUID.slice(11)}`,
    'Guid string should only contain hexadecimal characters.',
  ],
  ['guid', '{0X1, 0x2ffff, 0x3, {0x4,0x5,0x6,0x7,0x8,0x9,0xa,0xff}}', '00000001-ffff-0003-0405-060708090aff'],
  ...GUID_STRUCTURES.map(([text, message]) => ['guid', text, message] as const),
  ['guid', `{${GUID}`, GUID_LENGTH],
  ['guid', `{${GUID})`, GUID_LENGTH],
  ['guid', `(${GUID}}`, GUID_LENGTH],
  ['guid', `{${GUID}}}`, GUID_LENGTH],
  ['guid', `${GUID}0`, GUID_LENGTH],
  [
    'guid',
    `x${GUID.replaceAll('-', '').slice(1)}`,
    'Guid string should only contain hexadecimal characters.',
  ],
  [
    'guid',
    `${GUID.replaceAll('-', '').slice(0, -1)}x`,
    'Guid string should only contain hexadecimal characters.',
  ],
  ['guid', `${GUID.slice(0, -1)}g`, GUID_LENGTH],
  ['guid', 'x', GUID_LENGTH],
  ['guid', '', 'Unrecognized Guid format.'],
  ['guid', '0123456-789ab-cdef-0123-456789abcdef', 'Dashes are in the wrong position for GUID parsing.'],
  ['guid', 'g'.repeat(32), 'Guid string should only contain hexadecimal characters.'],
];

const BYTES: readonly (readonly [text: string, soap: string])[] = [
  ['', ''],
  ['AAH+/w', 'AAH+/w=='],
  ['AAH+/w===', 'AAH+/w=='],
  ['AA H+\n/w==\t', 'AAH+/w=='],
  ['A', ''],
  ['AB', 'AA=='],
  ['AB=CD', 'unreadable'],
  ['A-_B', 'unreadable'],
  ['!!', 'unreadable'],
];

const ROWS = [...NUMBERS, ...DATES, ...OTHERS].map(([type, text, soap, form = soap]) => ({
  type,
  text,
  soap,
  form,
}));

describe('a value', () => {
  it.each(ROWS)('of $type over SOAP: $text', ({ type, text, soap }) => {
    expect(outcome(() => PLAIN_TYPES[type].readXml(text, RULES), type)).toBe(soap);
  });

  it.each(ROWS)('of $type over GET and POST: $text', ({ type, text, form }) => {
    expect(outcome(() => PLAIN_TYPES[type].readForm(text, RULES), type)).toBe(form);
  });

  it.each(FORM_DATES)('of dateTime in one of the many formats of GET and POST: %j', (text, written) => {
    expect(outcome(() => PLAIN_TYPES.dateTime.readForm(text, RULES), 'dateTime')).toBe(written);
  });

  describe.each(XML_FORMS)('of dateTime over SOAP in the format of %s', (text, written) => {
    const read = (given: string): string =>
      outcome(() => PLAIN_TYPES.dateTime.readXml(given, RULES), 'dateTime');

    it('may have a time zone', () => {
      expect([text, `${text}Z`, `${text}z`, `${text}+03:00`].map(read)).toEqual([
        written,
        `${written}Z`,
        `${written}Z`,
        `${written}+03:00`,
      ]);
    });

    it('is invalid with anything else in it', () => {
      const digits = Array.from(text.matchAll(/[0-9]/g), ({ index }) => index);
      const damaged = [
        ...['x', '0', '-'].map((before) => before + text),
        ...['x', 'ZZ', '+03:0', '+3:00', '03:00', '+03:000', '+0x:00', '+03:x0', '+03-00'].map(
          (behind) => text + behind,
        ),
        ...digits.map((at) => `${text.slice(0, at)}a${text.slice(at + 1)}`),
      ].filter((each) => !/^-+[0-9]+-*$/.test(each));
      expect(damaged.map(read)).toEqual(damaged.map(notDate));
    });
  });

  it.each(YEAR)('of dateTime over GET and POST may contain the month $name', ({ name, written }) => {
    const read = (given: string): string =>
      outcome(() => PLAIN_TYPES.dateTime.readForm(given, RULES), 'dateTime');
    expect([`5 ${name} 2026`, `5 ${name.slice(0, 3).toUpperCase()} 2026`].map(read)).toEqual([
      written,
      written,
    ]);
    if (name.length > 4) expect(read(`${name.slice(0, -1)} 5 2026`)).toBe(unknownWord(0));
  });

  it.each(WEEK)('of dateTime over GET and POST may contain the day $name', ({ name, date, written }) => {
    const read = (given: string): string =>
      outcome(() => PLAIN_TYPES.dateTime.readForm(given, RULES), 'dateTime');
    expect([`${name}, ${date}`, `${name.slice(0, 3)} ${date}`].map(read)).toEqual([written, written]);
    expect(read(`${name}, 1 Jan 2026`)).toBe(
      name === 'Thursday'
        ? '2026-01-01T00:00:00'
        : `${DATE.slice(0, -1)} because the day of week was incorrect.`,
    );
  });

  it.each(BYTES)('of base64Binary over SOAP: %j', (text, soap) => {
    expect(outcome(() => PLAIN_TYPES.base64Binary.readXml(text, RULES), 'base64Binary')).toBe(soap);
  });

  it('of char is the character itself if allowed', () => {
    const lenient = { ...RULES, charReading: 'lenient' } as const;
    expect(PLAIN_TYPES.char.readXml('7', lenient)).toBe('7');
    expect(PLAIN_TYPES.char.readXml('65', lenient)).toBe('A');
  });
});

describe('a value of the wrong type', () => {
  it.each<readonly [type: PlainName, values: readonly Value[]]>([
    ['string', [1, null]],
    ['char', ['', 'ab', 65]],
    ['int', ['1', 1.5, NaN, 2 ** 31]],
    ['short', [-32769]],
    ['unsignedByte', [-1, 256]],
    ['long', [1, 2n ** 63n]],
    ['boolean', ['true', 1]],
    ['decimal', [1, '1e3', '.5', '-', '']],
    ['double', ['1', 1n]],
    ['dateTime', ['2026-11-22T08:30:00', 0]],
    ['guid', ['', GUID.replaceAll('-', '')]],
    ['base64Binary', ['AAAA', [1]]],
  ])('is not written as %s', (type, values) => {
    expect(values.map((value) => PLAIN_TYPES[type].write(value))).toEqual(values.map(() => undefined));
  });
});

describe('a number', () => {
  /** Its digits, without zeros around them. */
  const digitsOf = (text: string): string =>
    text
      .replace(/E.*$/, '')
      .replace(/[-.]/g, '')
      .replace(/^0+|0+$/g, '');

  it.each([
    ['float', Math.fround, fc.float({ noNaN: true, noDefaultInfinity: true }), 7, 9],
    ['double', Number, fc.double({ noNaN: true, noDefaultInfinity: true }), 15, 17],
  ] as const)(
    'of type %s is written with few digits if they are enough',
    (type, round, values, few, many) => {
      fc.assert(
        fc.property(
          fc.oneof(
            values,
            fc.integer().map((whole) => round(whole / 1000)),
          ),
          (value) => {
            const text = PLAIN_TYPES[type].write(value) ?? '';
            expect(round(Number(text))).toBe(value);
            const brief = value.toExponential(few - 1);
            const isEnough = round(Number(brief)) === value;
            expect(digitsOf(text)).toBe(
              digitsOf((isEnough ? brief : value.toExponential(many - 1)).replace('e', 'E')),
            );
          },
        ),
        { numRuns: 2_000 },
      );
    },
  );
});
