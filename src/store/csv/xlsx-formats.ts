import { BadCell } from './cell-kinds';

/** Returns what a spreadsheet shows for a number, with dates in the forms of an import, or why that is not known. */
export type NumberFormat = (value: number) => string | BadCell;

/** Codes of the built-in formats that are read; files contain only their numbers. */
const BUILT_IN: Readonly<Record<number, string>> = {
  ...{ 0: 'General', 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 49: '@' },
  ...{ 14: 'yyyy-mm-dd', 15: 'd-mmm-yy', 22: 'm/d/yy h:mm' },
  ...{ 18: 'h:mm AM/PM', 19: 'h:mm:ss AM/PM', 20: 'h:mm', 21: 'h:mm:ss', 46: '[h]:mm:ss' },
};

/** Maximum length of a code, as in Excel. */
const MAX_CODE = 255;

const SECONDS_A_DAY = 86_400;
/** Day 0 of the two calendars that workbooks use. */
const DAY_ZERO = { from1900: Date.UTC(1899, 11, 30), from1904: Date.UTC(1904, 0, 1) };
/** Days before 1 March 1900 are numbered differently, because Excel believes in 29 February 1900. */
const FIRST_DAY = 61;
/** Number of the day after 31 December 9999. */
const END_OF_DAYS = 2_958_466;
/** Numbers from here on are shown with an exponent in the format General, and have lost digits in any other. */
const LONG = { general: 1e11, fixed: 1e15 };
/** Smaller numbers are shown with an exponent. */
const SMALL = 1e-4;

const notADate = new BadCell('is not a date that can be shown');

/** Returns the format with a number, as in a workbook's styles, or with a code of the workbook's own. */
export function numberFormat(id: number, ownCode: string | undefined, isFrom1904: boolean): NumberFormat {
  const code = ownCode ?? BUILT_IN[id];
  const name = code?.slice(0, MAX_CODE) ?? `number ${String(id)}`;
  const refusal = new BadCell(`has the number format ${name}; format the column as text`);
  if (code === undefined || code.length > MAX_CODE) return () => refusal;
  const literals = [...code.matchAll(/"([^"]*)"|\\(.)/g)].map(
    ([, text = '', character = '']) => text + character,
  );
  const hasLiteral = literals.some((text) => text.trim() !== '');
  // What remains of the first section, for positive numbers, without literals, spaces, colors and languages.
  const [section = ''] = code
    .replace(/"[^"]*"|\\.|_.|\*./g, '')
    .replace(/\[([^\][]*)\]/g, (all, inner: string) => (/^(?:h+|m+|s+)$/i.test(inner) ? all : ''))
    .split(';');
  const plain = section.trim();
  if (/^(?:General|@|)$/i.test(plain) && !hasLiteral) return shownGeneral;
  if (/[ydhs]/i.test(plain)) return dateFormat(plain, isFrom1904);
  const [, grouping, whole = '', decimals = ''] = /^(#,##)?([0#]*0|#)(?:\.(0+))?$/.exec(plain) ?? [];
  if (whole === '' || hasLiteral) return () => refusal;
  const digits = whole.replaceAll('#', '').length;
  return (value) => {
    if (Math.abs(value) >= LONG.fixed) return withExponent(value);
    if (grouping !== undefined && Math.abs(value) >= 1000) return refusal;
    const shown = Math.abs(value).toFixed(decimals.length);
    const length = digits + (decimals === '' ? 0 : decimals.length + 1);
    return `${value < 0 ? '-' : ''}${shown.padStart(length, '0')}`;
  };
}

function shownGeneral(value: number): string {
  const size = Math.abs(value);
  if (size >= LONG.general || (size > 0 && size < SMALL)) return withExponent(value);
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(10)));
}

/** Formats a number like 1.23457E+11. */
function withExponent(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential(5).split('e');
  return `${String(Number(digits))}E${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`;
}

function dateFormat(code: string, isFrom1904: boolean): NumberFormat {
  const hasDay = /[yd]/i.test(code);
  const hasTime = /[hs]/i.test(code);
  const isElapsed = /\[h/i.test(code);
  return (value) => {
    const seconds = Math.round(value * SECONDS_A_DAY);
    if (value < 0 || value >= END_OF_DAYS || (hasDay && !isFrom1904 && value < FIRST_DAY)) return notADate;
    const dayZero = isFrom1904 ? DAY_ZERO.from1904 : DAY_ZERO.from1900;
    const [day = '', time = ''] = new Date(dayZero + seconds * 1000).toISOString().split(/[TZ.]/);
    const clock = time.replace(/:00$/, '');
    const hours = String(Math.floor(seconds / 3600)).padStart(2, '0');
    const shownTime = isElapsed ? clock.replace(/^\d\d/, hours) : clock;
    return [...(hasDay ? [day] : []), ...(hasTime ? [shownTime] : [])].join(' ');
  };
}
