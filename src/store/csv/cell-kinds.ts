import type { SqlValue } from '../engine/hot-statement';
import { canonicalKey, canonicalSchoolUrl } from '../queries/schools';

/** Reason why a cell is refused. Never repeats the cell, which may hold personal data. */
export class BadCell {
  constructor(
    readonly reason: string,
    /** Text or number in the cell of a workbook. */
    readonly shown = '',
  ) {}
}

/** A date or time that a spreadsheet formats by itself: it may have been something else before. */
export class SheetMoment {
  /**
   * @param text - in the forms of an import: YYYY-MM-DD, HH:MM, or both
   * @param problem - why it is not known what the spreadsheet shows
   */
  constructor(
    readonly text: string,
    readonly problem?: BadCell,
  ) {}
}

/** Order of day and month in dates with slashes. */
export const DATE_ORDERS = ['dmy', 'mdy'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** Kind of content of a CSV column. */
export interface CellKind {
  readonly stored: 'text' | 'integer';
  /** True for an id, which is stored in its compared form. */
  readonly isKey?: true;
  /** True for dates and times; a spreadsheet's date in any other column was something else once. */
  readonly isMoment?: true;
  /** Returns the value to store, or the reason why there is none. */
  readonly read: (cell: string, dateOrder?: DateOrder) => SqlValue | BadCell;
  /** Returns a cell that reads back as the value; default: the value as text, empty for null. */
  readonly write?: (value: SqlValue) => string;
}

/** Maximum length of a key, in characters, as for the parameters of the operations. */
const KEY_CHARACTERS = 256;
/**
 * Maximum length of a school's URL, in characters and in bytes of UTF-8: PostgreSQL's index takes up to
 * 2,700.
 */
const URL_LENGTH = 2048;
const EMPTY = 'is empty';

function tooLong(characters: number): BadCell {
  return new BadCell(`is longer than ${String(characters)} characters`);
}

/** Accepts any text up to a length in UTF-16 code units, the measure of the operations' parameters. */
export function text(most: number): CellKind {
  const refusal = tooLong(most);
  return {
    stored: 'text',
    read: (cell) => {
      if (cell.length > most) return refusal;
      return cell.startsWith('#') && KNOWN_ERRORS.has(canonicalKey(cell)) ? spreadsheetError : cell;
    },
  };
}

/** Names of the errors of Excel and LibreOffice in the languages of Western Europe, Turkey and Russia. */
const KNOWN_ERRORS: ReadonlySet<string> = new Set(
  [
    ...['#N/A', '#REF!', '#VALUE!', '#NAME?', '#DIV/0!', '#NUM!', '#NULL!', '#SPILL!', '#CALC!', '#FIELD!'],
    ...['#GETTING_DATA', '#YOK', '#BAŞV!', '#DEĞER!', '#AD?', '#SAYI/0!', '#SAYI!', '#BOŞ!', '#BÖL/0!'],
    ...['#NV', '#BEZUG!', '#WERT!', '#ZAHL!', '#REF!', '#VALEUR!', '#NOM?', '#NOMBRE!', '#NUL!', '#¡REF!'],
    ...['#¡VALOR!', '#¿NOMBRE?', '#¡DIV/0!', '#¡NUM!', '#¡NULO!', '#N/D', '#RIF!', '#VALORE!', '#NOME?'],
    ...['#N/B', '#VERW!', '#WAARDE!', '#NAAM?', '#DEEL/0!', '#GETAL!', '#Н/Д', '#ССЫЛКА!', '#ЗНАЧ!', '#ИМЯ?'],
  ].map((name) => name.normalize()),
);

/**
 * Matches the errors that Excel and LibreOffice write in several languages for a failed formula, and the
 * `###` for a number in too narrow a column.
 */
const SPREADSHEET_ERROR =
  /^(?:#(?:[¡¿]?[\p{L}\d/._]+[!?]|N\/A|N\/B|N\/D|N\/DISP|NV|YOK|Н\/Д|I\/T|GETTING_DATA|#+)|Err:\d{3})$/u;
/** Matches a long number as spreadsheets write it, with only its first digits. */
const EXPONENT_FORM = /^[+-]?\d(?:[.,]\d+)?E[+-]\d{2,3}$/i;

const keyText = text(KEY_CHARACTERS);
export const spreadsheetError = new BadCell('is a spreadsheet error value; correct the formula');
const exponentForm = new BadCell(
  'is a number in scientific notation, which has lost digits; format the column as text in the spreadsheet',
);
/** For a date in a column of texts: what was typed, such as 9-1, is lost. */
export const momentInText = new BadCell(
  'is a date or time, which a spreadsheet makes of texts such as 9-1; format the column as text in the spreadsheet',
);

/** Short names of the months in eight languages, as spreadsheets write `9-Jan`. */
const MONTHS: ReadonlySet<string> = new Set(
  [
    'jan feb mar apr may jun jul aug sep oct nov dec',
    'oca şub mar nis may haz tem ağu eyl eki kas ara',
    'jan feb mär apr mai jun jul aug sep okt nov dez',
    'janv févr mars avr mai juin juil août sept oct nov déc',
    'ene feb mar abr may jun jul ago sept oct nov dic',
    'gen feb mar apr mag giu lug ago set ott nov dic',
    'jan feb mrt apr mei jun jul aug sep okt nov dec',
    'jan fev mar abr mai jun jul ago set out nov dez',
  ].flatMap((names) => names.split(' ')),
);
const DATE_FORM = /^(?:\d{4}-\d\d?-\d\d?|\d\d?([./-])\d\d?\1\d{4})(?:[ T]\d\d?:\d\d(?::\d\d)?)?$/i;
const TIME_FORM = /^\d\d?:\d\d(?::\d\d)?(?: ?[AP]M)?$/i;
const MONTH_FORM = /^(?:\d\d?[ .-](?<after>\p{L}+)(?:[ .-]\d\d(?:\d\d)?)?|(?<before>\p{L}+)[ .-]\d\d)$/u;

/** Returns true for dates and times in the forms that spreadsheets give them by themselves. */
function isMoment(text: string): boolean {
  if (DATE_FORM.test(text) || TIME_FORM.test(text)) return true;
  const { after = '', before = after } = MONTH_FORM.exec(text)?.groups ?? {};
  return MONTHS.has(before.toLowerCase());
}

/** The name of a subject: required like an id, but compared exactly. */
export const subject: CellKind = {
  stored: 'text',
  read: (cell) => {
    if (cell.length > KEY_CHARACTERS) return keyText.read(cell);
    const id = canonicalKey(cell);
    if (id === '') return new BadCell(EMPTY);
    if (SPREADSHEET_ERROR.test(id)) return spreadsheetError;
    if (EXPONENT_FORM.test(id)) return exponentForm;
    return isMoment(id) ? momentInText : id;
  },
};

export const key: CellKind = { ...subject, isKey: true };

export const optionalKey: CellKind = {
  ...key,
  read: (cell) => (canonicalKey(cell) === '' ? null : key.read(cell)),
};

const urlTooLong = tooLong(URL_LENGTH);

export const schoolUrl: CellKind = {
  stored: 'text',
  read: (cell) => {
    if (cell.length > URL_LENGTH) return urlTooLong;
    const canonical = canonicalSchoolUrl(cell);
    if (canonical === '') return new BadCell(EMPTY);
    return Buffer.byteLength(canonical) > URL_LENGTH ? urlTooLong : canonical;
  },
};

/** One UTF-16 code unit: over SOAP the flag is sent as its number. A blank alone is one. */
export const oneCharacter: CellKind = {
  stored: 'text',
  read: (cell) => {
    const character = cell.length === 1 ? cell : canonicalKey(cell);
    return character.length === 1 ? character : new BadCell('is not exactly one character');
  },
};

/** Removes the time from a date with the time at midnight, in which spreadsheets write some dates. */
function withoutMidnight(text: string): string {
  return text.replace(/[ T]0?0:00(?::00)?$/, '');
}

export const date: CellKind = {
  stored: 'text',
  isMoment: true,
  read: (cell, dateOrder) => {
    const day = isoDate(withoutMidnight(canonicalKey(cell)), dateOrder);
    return day === '' ? new BadCell('is not a date (YYYY-MM-DD or D.M.YYYY)') : day;
  },
};

export const timeOfDay: CellKind = {
  stored: 'text',
  isMoment: true,
  read: (cell) => {
    const [, time = '', half] = /^(\d{1,2}:\d\d)(?::00)?(?: ?([AP])M)?$/i.exec(canonicalKey(cell)) ?? [];
    const [hour = '', minute = ''] = time.split(':');
    const most = half === undefined ? 23 : 12;
    const isTime = time !== '' && Number(hour) <= most && Number(minute) <= 59;
    if (!isTime || (half !== undefined && Number(hour) === 0)) return notATime;
    const hours =
      half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toUpperCase() === 'P' ? 12 : 0);
    return `${String(hours).padStart(2, '0')}:${minute}`;
  },
};

const notATime = new BadCell('is not a time of day (HH:MM)');

export function integer(least: number, most: number): CellKind {
  const refusal = new BadCell(`is not a whole number from ${String(least)} to ${String(most)}`);
  return {
    stored: 'integer',
    read: (cell) => {
      const digits = canonicalKey(cell);
      const value = /^\d{1,9}$/.test(digits) ? Number(digits) : Number.NaN;
      if (value >= least && value <= most) return value;
      return EXPONENT_FORM.test(digits) ? exponentForm : refusal;
    },
  };
}

const INSTANT =
  /^([\d./-]+)(?:[T ]((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/** An optional point in time, stored in milliseconds since 1970; UTC without a zone. */
export const optionalInstant: CellKind = {
  stored: 'integer',
  isMoment: true,
  read: (cell, dateOrder) => {
    const instant = canonicalKey(cell);
    if (instant === '') return null;
    const [, dayText = '', time = '00:00', zone = 'Z'] = INSTANT.exec(instant) ?? [];
    const day = isoDate(dayText, dateOrder);
    if (day instanceof BadCell) return day;
    const padded = time.indexOf(':') === 1 ? `0${time}` : time;
    const value = day === '' ? Number.NaN : Date.parse(`${day}T${padded}${zone}`);
    // A zone can move the first or last hours of the calendar out of its four-digit years.
    if (Number.isNaN(value) || value < FIRST_INSTANT || value > LAST_INSTANT) {
      return new BadCell('is not a time (YYYY-MM-DDTHH:MM:SSZ or D.M.YYYY HH:MM)');
    }
    return value;
  },
  write: (value) => (typeof value === 'number' ? new Date(value).toISOString() : ''),
};

const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

const WITH_HYPHENS = /^\d{4}-\d\d-\d\d$/;
const WITH_DOTS_OR_SLASHES = /^(\d{1,2})([./])(\d{1,2})\2(\d{4})$/;
const unknownOrder = new BadCell('is a date with slashes; set --date-order to dmy or mdy');

/**
 * Returns a calendar day in the form YYYY-MM-DD, or an empty text: 30 February is none. With dots the day
 * comes first; with slashes the order must be given.
 */
function isoDate(text: string, dateOrder: DateOrder | undefined): string | BadCell {
  let day = text;
  if (!WITH_HYPHENS.test(text)) {
    const [whole, first = '', separator, second = '', year = ''] = WITH_DOTS_OR_SLASHES.exec(text) ?? [];
    if (whole === undefined) return '';
    if (separator === '/' && dateOrder === undefined) return unknownOrder;
    const parts = separator === '/' && dateOrder === 'mdy' ? [first, second] : [second, first];
    day = [year, ...parts.map((part) => part.padStart(2, '0'))].join('-');
  }
  const instant = new Date(`${day}T00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day) ? day : '';
}
