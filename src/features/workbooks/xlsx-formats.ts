import { BadCell, SheetMoment } from '../../store/csv/book';

/**
 * Returns what a spreadsheet shows of a cell, with dates and times in the forms of an import, or why that is
 * not known.
 */
export interface CellFormat {
  readonly number: (value: number) => string | SheetMoment | BadCell;
  readonly text: (value: string) => string | BadCell;
}

/** Codes of the built-in formats (ECMA-376-1, 18.8.30); files contain only their numbers. */
const BUILT_IN: Readonly<Record<number, string>> = {
  ...{ 0: 'General', 1: '0', 2: '0.00', 3: '#,##0', 4: '#,##0.00', 9: '0%', 10: '0.00%', 11: '0.00E+00' },
  ...{ 12: '# ?/?', 13: '# ??/??', 14: 'yyyy-mm-dd', 15: 'd-mmm-yy', 16: 'd-mmm', 17: 'mmm-yy' },
  ...{ 18: 'h:mm AM/PM', 19: 'h:mm:ss AM/PM', 20: 'h:mm', 21: 'h:mm:ss', 22: 'm/d/yy h:mm' },
  ...{ 37: '#,##0 ;(#,##0)', 38: '#,##0 ;[Red](#,##0)', 45: 'mm:ss', 46: '[h]:mm:ss', 47: 'mmss.0' },
  ...{ 48: '##0.0E+0', 49: '@' },
};

/** Maximum length of a code, as in Excel. */
const MAX_CODE = 255;
/** Maximum length of a code in an error. */
const SHOWN_CODE = 40;

const SECONDS_A_DAY = 86_400;
/** Day 0 of the two calendars that workbooks use. */
const DAY_ZERO = { from1900: Date.UTC(1899, 11, 30), from1904: Date.UTC(1904, 0, 1) };
/** Days before 1 March 1900 are numbered differently, because Excel believes in 29 February 1900. */
const FIRST_DAY = 61;
/** Number of the day after 31 December 9999. */
const END_OF_DAYS = { from1900: 2_958_466, from1904: 2_957_004 };
/**
 * Numbers from here on are shown with an exponent in the format General, and have lost digits in any other.
 */
const LONG = { general: 1e11, fixed: 1e15 };
/** Rests of calculations: a column of usual width shows 59.99999999 as 60. */
const REST = 5e-7;
/** Smaller numbers are shown with an exponent. */
const SMALL = 1e-4;

const notADate = new BadCell('is not a date that can be shown');
const decimals = new BadCell(
  'has decimals, which each computer shows with its own sign; format the column as text in the spreadsheet',
);

/** Returns the format with a number, as in a workbook's styles, or with a code of the workbook's own. */
export function cellFormat(id: number, ownCode: string | undefined, isFrom1904: boolean): CellFormat {
  const code = ownCode ?? BUILT_IN[id];
  const name = code?.slice(0, SHOWN_CODE) ?? `number ${String(id)}`;
  const refusal = new BadCell(`has the number format ${name}; format the column as text`);
  const refuse = (): BadCell => refusal;
  if (code === undefined || code.length > MAX_CODE) return { number: refuse, text: refuse };
  const sections = sectionsOf(code);
  // With four sections, the last is for texts; one of several with an @ is, too.
  const ofTexts = sections.length > 3 ? sections[3] : sections.find(({ plain }) => plain.includes('@'));
  return {
    number: numberFormat(sections, isFrom1904, refusal),
    text: ofTexts === undefined || ofTexts.isPlainText ? (value) => value : refuse,
  };
}

interface FormatSection {
  /** Without literals, spaces, colors and languages. */
  readonly plain: string;
  readonly isPlainText: boolean;
  /** True if it shows texts of its own, numerals or a calendar of another script, or has a condition. */
  readonly isSpecial: boolean;
  /** True if it shows texts of its own that are not only separators. */
  readonly hasLiteral: boolean;
}

/** Splits a code at the semicolons that are not in literals. */
function sectionsOf(code: string): readonly FormatSection[] {
  const parts = [''];
  for (const [token] of code.matchAll(/"[^"]*"|\\.|_.|\*.|\[[^\][]*\]|./gsu)) {
    if (token === ';') parts.push('');
    else parts.push(`${parts.pop() ?? ''}${token}`);
  }
  return parts.map((part) => {
    const literals = [...part.matchAll(/"([^"]*)"|\\(.)/gsu)].map(
      ([, text = '', character = '']) => text + character,
    );
    const bare = part.replace(/"[^"]*"|\\.|_.|\*./gsu, '');
    const brackets = [...bare.matchAll(/\[([^\][]*)\]/g)].map(([, inner = '']) => inner);
    const plain = bare
      .replace(/\[([^\][]*)\]/g, (all, inner: string) => (/^(?:h+|m+|s+)$/i.test(inner) ? all : ''))
      .trim();
    const hasLiteral = literals.some((text) => text.trim() !== '');
    const isSpecial = brackets.some((inner) => !isHarmless(inner));
    return { plain, isSpecial, hasLiteral, isPlainText: plain === '@' && !hasLiteral && !isSpecial };
  });
}

/**
 * Returns true for a color, an elapsed time, or a language whose calendar and numerals are those of an
 * import.
 */
function isHarmless(bracket: string): boolean {
  if (/^(?:h+|m+|s+|black|blue|cyan|green|magenta|red|white|yellow|color ?\d+)$/i.test(bracket)) return true;
  const [, symbol, language = ''] = /^\$([^-]*)(?:-(.*))?$/.exec(bracket) ?? [];
  if (symbol !== '') return false;
  if (!/^[\dA-F]{1,8}$/i.test(language))
    return /^(?:x-sys(?:date|time)|[a-z]{2,3}(?:-\w+)?)?$/i.test(language);
  // Numerals and calendar precede the language.
  const [, numerals = '00', calendar = '00'] = /^(..)(..)....$/.exec(language.padStart(8, '0')) ?? [];
  return (
    ['00', '01', '02', '09', '0A', '0B', '0C'].includes(calendar.toUpperCase()) &&
    ['00', '01'].includes(numerals)
  );
}

function numberFormat(
  sections: readonly FormatSection[],
  isFrom1904: boolean,
  refusal: BadCell,
): CellFormat['number'] {
  const [first, second, third] = sections.filter(({ isPlainText }, at) => at === 0 || !isPlainText);
  const positive = sectionFormat(first, isFrom1904, refusal);
  // A negative number in a section of its own is shown without its sign, unless the section has one.
  const negative = second === undefined ? positive : isSigned(first, second) ? positive : () => refusal;
  const zero = third === undefined ? positive : sectionFormat(third, isFrom1904, refusal);
  return (value) => (value < 0 ? negative(value) : value === 0 ? zero(value) : positive(value));
}

function isSigned(first: FormatSection | undefined, second: FormatSection): boolean {
  return second.plain === `-${first?.plain ?? ''}` && !second.hasLiteral && !second.isSpecial;
}

function sectionFormat(
  section: FormatSection | undefined,
  isFrom1904: boolean,
  refusal: BadCell,
): CellFormat['number'] {
  if (section === undefined || section.isSpecial) return () => refusal;
  const { plain, hasLiteral } = section;
  if (/^(?:General|@)$/i.test(plain)) return hasLiteral ? () => refusal : shownGeneral;
  if (/[ydhs]/i.test(plain)) return dateFormat(plain, isFrom1904, refusal);
  const [, grouping, whole = '', fraction] = /^(#,##)?([0#]*0|#)(?:\.(0+))?$/.exec(plain) ?? [];
  if (whole === '' || hasLiteral) return () => refusal;
  const digits = whole.replaceAll('#', '').length;
  return (value) => {
    if (Math.abs(value) >= LONG.fixed) return withExponent(value);
    if (fraction !== undefined) return decimals;
    if (grouping !== undefined && Math.abs(value) >= 1000) return refusal;
    const shown = Math.abs(value).toFixed(0).padStart(digits, '0');
    return value < 0 && /[1-9]/.test(shown) ? `-${shown}` : shown;
  };
}

function shownGeneral(value: number): string | BadCell {
  const size = Math.abs(value);
  if (size >= LONG.general || (size > 0 && size < SMALL)) return withExponent(value);
  const whole = Math.round(value);
  return Math.abs(value - whole) < REST ? String(whole) : decimals;
}

/** Formats a number like 1.23457E+11. */
function withExponent(value: number): string {
  const [digits = '', exponent = ''] = value.toExponential(5).split('e');
  return `${String(Number(digits))}E${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`;
}

/** Parts of a moment that a code shows. */
function shownParts(code: string): ReadonlySet<string> {
  const tokens = code.match(/\[?(?:y+|m+|d+|h+|s+|g+|e+|b+)\]?|AM\/PM|A\/P/gi) ?? [];
  return new Set(
    tokens.map((token, at) => {
      const letter = token.replace('[', '').slice(0, 1).toLowerCase();
      const isMinute =
        letter === 'm' &&
        (/^\[?h/i.test(tokens[at - 1] ?? '') || /^\[?s/i.test(tokens[at + 1] ?? '') || token.startsWith('['));
      if (letter === 'd') return token.length > 2 ? 'weekday' : 'day';
      return isMinute ? 'minute' : letter;
    }),
  );
}

/** A date that a code shows in part, or in another calendar, is not what a person sees. */
function dateFormat(code: string, isFrom1904: boolean, refusal: BadCell): CellFormat['number'] {
  const parts = shownParts(code);
  const hasDay = ['y', 'm', 'day'].every((part) => parts.has(part));
  const hasTime = ['h', 'minute'].every((part) => parts.has(part));
  const isPartial = ['y', 'm', 'day', 'weekday'].some((part) => parts.has(part)) ? !hasDay : !hasTime;
  const isTimePartial = !hasTime && ['h', 'minute', 's'].some((part) => parts.has(part));
  if (isPartial || isTimePartial || ['g', 'e', 'b'].some((part) => parts.has(part))) {
    const unknown = new SheetMoment('', refusal);
    return () => unknown;
  }
  const isElapsed = /\[h/i.test(code);
  const end = isFrom1904 ? END_OF_DAYS.from1904 : END_OF_DAYS.from1900;
  const dayZero = isFrom1904 ? DAY_ZERO.from1904 : DAY_ZERO.from1900;
  return (value) => {
    const seconds = Math.round(value * SECONDS_A_DAY);
    if (value < 0 || value >= end || (hasDay && !isFrom1904 && value < FIRST_DAY)) return notADate;
    const [day = '', time = ''] = new Date(dayZero + seconds * 1000).toISOString().split(/[TZ.]/);
    // Seconds that the code does not show are no part of what a person sees.
    const clock = parts.has('s') ? time.replace(/:00$/, '') : time.slice(0, 'HH:MM'.length);
    const hours = String(Math.floor(seconds / 3600)).padStart(2, '0');
    const shownTime = isElapsed ? clock.replace(/^\d\d/, hours) : clock;
    return new SheetMoment([...(hasDay ? [day] : []), ...(hasTime ? [shownTime] : [])].join(' '));
  };
}

/** Returns the number of the moment in a cell of the type `d`, such as 2026-12-03T09:00:00; NaN for none. */
export function momentNumber(text: string, isFrom1904: boolean): number {
  const [all, day = '', time = '00:00'] =
    /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?))?Z?$/.exec(text) ?? [];
  if (all === undefined) return Number.NaN;
  const dayZero = isFrom1904 ? DAY_ZERO.from1904 : DAY_ZERO.from1900;
  return (Date.parse(`${day}T${time}Z`) - dayZero) / (SECONDS_A_DAY * 1000);
}
