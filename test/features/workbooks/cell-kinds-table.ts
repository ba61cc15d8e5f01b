// The kinds of cells that a test reads from a workbook or a CSV file; the documentation shows them as a table.

import type { XlsxCell } from './xlsx-file';

/** Columns of the table that is read, by what they contain. */
export const KIND_COLUMNS = {
  id: 'exam_id',
  text: 'name',
  date: 'exam_date',
  time: 'start_time',
  number: 'duration_minutes',
} as const;

/** One kind of cell, in one column. */
interface CellKindRow {
  /** Words for the documentation; several rows may have the same. */
  readonly kind: string;
  readonly column: keyof typeof KIND_COLUMNS;
  /** The cell of a workbook, or the text in a CSV file. */
  readonly cell: XlsxCell | { readonly csv: string };
  /** Code of the format 1. */
  readonly format?: string;
  readonly date1904?: '0' | '1';
  /** The value that is read, or why nothing is. */
  readonly gives: string | number | RegExp;
}

/** 3 December 2026, and the same day in the calendar of old Macs. */
const DAY = 46_359;
const DAY_1904 = DAY - 1462;
const DATE = '2026-12-03';

const MOMENT = /is a date or time, which a spreadsheet makes of texts/;
const DECIMALS = /has decimals/;
const ERROR = /is a spreadsheet error value/;
const FORMAT = /has the number format/;
const EXPONENT = /in scientific notation/;

const NOT_A_DATE = /is not a date/;
const NOT_A_TIME = /is not a time/;
const NO_RESULT = /formula without a result/;
const TRUTH = /is a truth value/;

/** Why cells are refused, in words for the documentation. */
export const REFUSALS: ReadonlyMap<RegExp, string> = new Map([
  [MOMENT, 'was perhaps 9-1'],
  [DECIMALS, 'comma or point: depends on the computer'],
  [ERROR, 'the formula failed'],
  [FORMAT, 'the file does not contain what it shows'],
  [EXPONENT, 'digits are lost'],
  [NOT_A_DATE, 'not only a date'],
  [NOT_A_TIME, 'not only hour and minute'],
  [NO_RESULT, 'nothing is calculated'],
  [TRUTH, 'the word depends on the computer'],
]);

const shared = (xml: string): XlsxCell => ({ xml: `<c ${xml}</c>` });
const inline = (xml: string): XlsxCell => shared(`t="inlineStr"><is>${xml}</is>`);

export const CELL_KINDS: readonly CellKindRow[] = [
  { kind: 'text', column: 'text', cell: 'Çağrı فاطمة 🎓', gives: 'Çağrı فاطمة 🎓' },
  { kind: 'text', column: 'id', cell: '007', gives: '007' },
  { kind: 'text with blanks around it', column: 'id', cell: ' \u00A09A\u00A0', gives: '9A' },
  { kind: 'text with blanks around it', column: 'date', cell: '\u00A003.12.2026 ', gives: DATE },
  { kind: 'text with blanks around it', column: 'time', cell: ' 9:00\u00A0', gives: '09:00' },
  { kind: 'text with blanks around it', column: 'number', cell: ' 60 ', gives: 60 },
  { kind: 'text with blanks around it', column: 'text', cell: ' a ', gives: ' a ' },
  { kind: 'date as text, also at midnight', column: 'date', cell: '03.12.2026 00:00:00', gives: DATE },
  { kind: 'date as text, with a time', column: 'date', cell: '03.12.2026 10:00', gives: NOT_A_DATE },
  { kind: 'time as text, also with seconds or AM, PM', column: 'time', cell: '09:00:00', gives: '09:00' },
  { kind: 'time as text, also with seconds or AM, PM', column: 'time', cell: '1:05 PM', gives: '13:05' },
  { kind: 'time as text, also with seconds or AM, PM', column: 'time', cell: '12:00:00 am', gives: '00:00' },
  { kind: 'rich text', column: 'text', cell: inline('<r><t>A</t></r><r><rPr/><t>b</t></r>'), gives: 'Ab' },
  {
    ...{ kind: 'reading aids of Japanese texts', column: 'text', gives: '東京' },
    cell: inline('<t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh>'),
  },
  { kind: 'control characters', column: 'text', cell: inline('<t>a_x000D_b_x005F_x</t>'), gives: 'a\rb_x' },
  { kind: 'text that does not ask for its blanks', column: 'text', cell: inline('<t> a </t>'), gives: 'a' },
  {
    kind: 'text with a format of its own',
    column: 'text',
    cell: shared('s="1" t="str"><v>a</v>'),
    ...{ format: '@" kg"' },
    gives: FORMAT,
  },
  { kind: 'formula with its result', column: 'text', cell: shared('t="str"><f>A1</f><v>b</v>'), gives: 'b' },
  { kind: 'formula with its result', column: 'id', cell: shared('><f>1+1</f><v>2</v>'), gives: '2' },
  {
    kind: 'formula without a result',
    column: 'id',
    cell: shared('><f>1+1</f>'),
    gives: NO_RESULT,
  },
  { kind: 'error, such as `#N/A`', column: 'text', cell: shared('t="e"><v>#N/A</v>'), gives: ERROR },
  {
    kind: 'error, such as `#N/A`',
    column: 'id',
    cell: shared('t="e"><f>X</f><v>#BLOCKED!</v>'),
    gives: ERROR,
  },
  { kind: 'error, such as `#N/A`', column: 'date', cell: shared('t="e"><v>#VALUE!</v>'), gives: ERROR },
  { kind: 'error, such as `#N/A`', column: 'text', cell: { csv: '#REF!' }, gives: ERROR },
  { kind: 'error, such as `#N/A`', column: 'id', cell: { csv: 'Err:502' }, gives: ERROR },
  { kind: 'truth value', column: 'text', cell: shared('t="b"><v>1</v>'), gives: TRUTH },
  { kind: 'whole number', column: 'id', cell: 12_345_678_901, gives: '12345678901' },
  { kind: 'whole number', column: 'number', cell: shared('><v>6.0E1</v>'), gives: 60 },
  { kind: 'whole number', column: 'number', cell: [89.6, 1], format: '0', gives: 90 },
  { kind: 'number with leading zeros', column: 'id', cell: [42, 1], format: '00000', gives: '00042' },
  { kind: 'negative number', column: 'text', cell: [-7, 1], format: '0;[Red]-0', gives: '-7' },
  { kind: 'negative number', column: 'text', cell: [-0.2, 1], format: '0', gives: '0' },
  { kind: 'number of 12 digits or more', column: 'id', cell: 123_457_000_000, gives: EXPONENT },
  { kind: 'number of 12 digits or more', column: 'id', cell: { csv: '1,23457E+11' }, gives: EXPONENT },
  { kind: 'number with decimals', column: 'id', cell: 9.1, gives: DECIMALS },
  { kind: 'number with decimals', column: 'text', cell: [9.1, 1], format: '0.00', gives: DECIMALS },
  ...(
    [
      ['percent', '0%', 0.5],
      ['currency', '[$₺-41F]0', 5],
      ['currency', '"€"0', 5],
      ['currency', '_-* #,##0\\ "TL"_-', 5],
      ['grouped number', '#,##0', 1234],
      ['fraction, exponent', '# ?/?', 0.5],
      ['fraction, exponent', '0.00E+00', 5],
      ['condition', '[<10]0;0', 5],
      ['numerals of another script', '[$-2000401]0', 5],
      ['negative number without its sign', '0;0', -5],
      ['value that its format hides', ';;;', 5],
    ] as const
  ).map(
    ([kind, format, value]) => ({ kind, column: 'id', cell: [value, 1], format, gives: FORMAT }) as const,
  ),
  ...['dd/mm/yyyy', '[$-41F]d mmmm yyyy', '[$-F800]dddd, mmmm dd, yyyy', 'yyyy-mm-dd;@', 'd.m.yy'].map(
    (format) => ({ kind: 'date', column: 'date', cell: [DAY, 1], format, gives: DATE }) as const,
  ),
  { kind: 'date', column: 'date', cell: [DAY + 0.4, 1], format: 'dd.mm.yyyy', gives: DATE },
  {
    kind: 'date in the 1904 calendar',
    column: 'date',
    cell: [DAY_1904, 1],
    format: 'd.m.yyyy',
    date1904: '1',
    gives: DATE,
  },
  {
    kind: 'date with a time, at midnight',
    column: 'date',
    cell: [DAY, 1],
    format: 'dd.mm.yyyy hh:mm',
    gives: DATE,
  },
  {
    kind: 'date with a time',
    column: 'date',
    cell: [DAY + 0.4, 1],
    format: 'd.m.yyyy h:mm',
    gives: NOT_A_DATE,
  },
  {
    kind: 'date in ISO 8601 (strict Open XML)',
    column: 'date',
    cell: shared(`s="1" t="d"><v>${DATE}T00:00:00</v>`),
    format: 'd.m.yyyy',
    gives: DATE,
  },
  ...['d-mmm', 'mmm yyyy', 'dddd', 'yyyy'].map(
    (format) =>
      ({
        kind: 'date without day, month or year',
        column: 'date',
        cell: [DAY, 1],
        format,
        gives: FORMAT,
      }) as const,
  ),
  ...['[$-1060401]d/m/yyyy', '[$-D07041E]d/m/yyyy', '[$-411]ge.m.d'].map(
    (format) =>
      ({ kind: 'date in another calendar', column: 'date', cell: [DAY, 1], format, gives: FORMAT }) as const,
  ),
  {
    kind: 'date before March 1900',
    column: 'date',
    cell: [60, 1],
    format: 'd.m.yyyy',
    gives: NOT_A_DATE,
  },
  { kind: 'date as a number', column: 'date', cell: DAY, gives: NOT_A_DATE },
  { kind: 'date or time', column: 'id', cell: [46_031, 1], format: 'd.m.yyyy', gives: MOMENT },
  { kind: 'date or time', column: 'text', cell: [46_031, 1], format: 'd.m.yyyy', gives: MOMENT },
  { kind: 'date or time', column: 'number', cell: [0.5, 1], format: 'h:mm', gives: MOMENT },
  { kind: 'date or time', column: 'id', cell: [0.5, 1], format: 'h:mm', gives: MOMENT },
  { kind: 'date or time', column: 'id', cell: [46_031, 1], format: 'd-mmm', gives: MOMENT },
  ...['09.01.2026', '2026-01-09', '9/1/2026', '9-Jan', '09.Oca', 'Oca.26', '9-Şub-26', '9:30', '9:30 AM'].map(
    (csv) => ({ kind: 'date or time', column: 'id', cell: { csv }, gives: MOMENT }) as const,
  ),
  ...['9-1', '9-Fen', '10-A', '1.2', 'Mart'].map(
    (csv) => ({ kind: 'text that only resembles a date', column: 'id', cell: { csv }, gives: csv }) as const,
  ),
  ...['h:mm', 'hh:mm:ss', 'h:mm AM/PM', '[h]:mm', '[$-F400]h:mm:ss AM/PM'].map(
    (format) => ({ kind: 'time', column: 'time', cell: [0.375, 1], format, gives: '09:00' }) as const,
  ),
  {
    kind: 'time with seconds that are shown',
    column: 'time',
    cell: [32_430 / 86_400, 1],
    format: 'h:mm:ss',
    gives: NOT_A_TIME,
  },
  { kind: 'time without hour or minute', column: 'time', cell: [0.375, 1], format: 'h AM/PM', gives: FORMAT },
  { kind: 'time without hour or minute', column: 'time', cell: [0.01, 1], format: 'mm:ss', gives: FORMAT },
];
