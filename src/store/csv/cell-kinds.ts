import type { SqlValue } from '../engine/hot-statement';
import { canonicalKey, canonicalSchoolUrl } from '../queries/schools';

/** Reason why a cell is refused. Never repeats the cell, which may hold personal data. */
export class BadCell {
  constructor(readonly reason: string) {}
}

/** Order of day and month in dates with slashes. */
export const DATE_ORDERS = ['dmy', 'mdy'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/** Kind of content of a CSV column. */
export interface CellKind {
  readonly stored: 'text' | 'integer';
  /** True for an id, which is stored in its compared form. */
  readonly isKey?: true;
  /** Returns the value to store, or the reason why there is none. */
  readonly read: (cell: string, dateOrder?: DateOrder) => SqlValue | BadCell;
  /** Returns a cell that reads back as the value; default: the value as text, empty for null. */
  readonly write?: (value: SqlValue) => string;
}

/** Maximum length of a key, in characters, as for the parameters of the operations. */
const KEY_CHARACTERS = 256;
/** Maximum length of a school's URL, in characters and in bytes of UTF-8: PostgreSQL's index takes up to 2,700. */
const URL_LENGTH = 2048;
const EMPTY = 'is empty';

function tooLong(characters: number): BadCell {
  return new BadCell(`is longer than ${String(characters)} characters`);
}

/** Accepts any text up to a length in UTF-16 code units, the measure of the operations' parameters. */
export function text(most: number): CellKind {
  const refusal = tooLong(most);
  return { stored: 'text', read: (cell) => (cell.length > most ? refusal : cell) };
}

/**
 * Matches the errors that Excel and LibreOffice write in several languages for a failed formula, and the `###` for a
 * number in too narrow a column.
 */
const SPREADSHEET_ERROR =
  /^#(?:[¡¿]?[\p{L}\d/._]+[!?]|N\/A|N\/B|N\/D|N\/DISP|NV|YOK|Н\/Д|I\/T|GETTING_DATA|#+)$/u;
/** Matches a long number as spreadsheets write it, with only its first digits. */
const EXPONENT_FORM = /^[+-]?\d(?:[.,]\d+)?E[+-]\d{2,3}$/i;

const keyText = text(KEY_CHARACTERS);
const spreadsheetError = new BadCell('is a spreadsheet error value; correct the formula');
const exponentForm = new BadCell(
  'is a number in scientific notation, which has lost digits; format the column as text in the spreadsheet',
);

/** The name of a subject: required like an id, but compared exactly. */
export const subject: CellKind = {
  stored: 'text',
  read: (cell) => {
    if (cell.length > KEY_CHARACTERS) return keyText.read(cell);
    const id = canonicalKey(cell);
    if (id === '') return new BadCell(EMPTY);
    if (SPREADSHEET_ERROR.test(id)) return spreadsheetError;
    return EXPONENT_FORM.test(id) ? exponentForm : id;
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

/** One UTF-16 code unit: over SOAP the flag is sent as its number. */
export const oneCharacter: CellKind = {
  stored: 'text',
  read: (cell) => (cell.length === 1 ? cell : new BadCell('is not exactly one character')),
};

export const date: CellKind = {
  stored: 'text',
  read: (cell, dateOrder) => {
    const day = isoDate(cell, dateOrder);
    return day === '' ? new BadCell('is not a date (YYYY-MM-DD or D.M.YYYY)') : day;
  },
};

export const timeOfDay: CellKind = {
  stored: 'text',
  read: (cell) =>
    /^(?:[01]?\d|2[0-3]):[0-5]\d$/.test(cell)
      ? cell.padStart('HH:MM'.length, '0')
      : new BadCell('is not a time of day (HH:MM)'),
};

export function integer(least: number, most: number): CellKind {
  const refusal = new BadCell(`is not a whole number from ${String(least)} to ${String(most)}`);
  return {
    stored: 'integer',
    read: (cell) => {
      const value = /^\d{1,9}$/.test(cell) ? Number(cell) : Number.NaN;
      if (value >= least && value <= most) return value;
      return EXPONENT_FORM.test(cell) ? exponentForm : refusal;
    },
  };
}

const INSTANT =
  /^([\d./-]+)(?:[T ]((?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/** An optional point in time, stored in milliseconds since 1970; UTC without a zone. */
export const optionalInstant: CellKind = {
  stored: 'integer',
  read: (cell, dateOrder) => {
    if (cell === '') return null;
    const [, dayText = '', time = '00:00', zone = 'Z'] = INSTANT.exec(cell) ?? [];
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
 * Returns a calendar day in the form YYYY-MM-DD, or an empty text: 30 February is none. With dots the day comes first;
 * with slashes the order must be given.
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
