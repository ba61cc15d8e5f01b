import type { SqlValue } from '../engine/hot-statement';
import { canonicalKey, canonicalSchoolUrl } from '../queries/schools';

/** Reason why a cell is refused. Never repeats the cell, which may hold personal data. */
export class BadCell {
  constructor(readonly reason: string) {}
}

/** Kind of content of a CSV column. */
export interface CellKind {
  readonly stored: 'text' | 'integer';
  /** Returns the value to store, or the reason why there is none. */
  readonly read: (cell: string) => SqlValue | BadCell;
  /** Returns a cell that reads back as the value. */
  readonly write: (value: SqlValue) => string;
}

/** Maximum length of a key, in characters, as for the parameters of the operations. */
const KEY_CHARACTERS = 256;
/** Maximum length of a school's URL, in characters and in bytes of UTF-8: PostgreSQL's index takes up to 2,700. */
const URL_LENGTH = 2048;
const EMPTY = 'is empty';

const asItIs = (value: SqlValue): string => (value === null ? '' : String(value));

function tooLong(characters: number): BadCell {
  return new BadCell(`is longer than ${String(characters)} characters`);
}

/** Accepts any text up to a length in UTF-16 code units, the measure of the operations' parameters. */
export function text(most: number): CellKind {
  const refusal = tooLong(most);
  return { stored: 'text', read: (cell) => (cell.length > most ? refusal : cell), write: asItIs };
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

export const key: CellKind = {
  stored: 'text',
  read: (cell) => {
    if (cell.length > KEY_CHARACTERS) return keyText.read(cell);
    const id = canonicalKey(cell);
    if (id === '') return new BadCell(EMPTY);
    if (SPREADSHEET_ERROR.test(id)) return spreadsheetError;
    return EXPONENT_FORM.test(id) ? exponentForm : id;
  },
  write: asItIs,
};

/** An optional key. */
export const optionalKey: CellKind = {
  stored: 'text',
  read: (cell) => (canonicalKey(cell) === '' ? null : key.read(cell)),
  write: asItIs,
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
  write: asItIs,
};

/** One UTF-16 code unit: over SOAP the flag is sent as its number. */
export const oneCharacter: CellKind = {
  stored: 'text',
  read: (cell) => (cell.length === 1 ? cell : new BadCell('is not exactly one character')),
  write: asItIs,
};

export const date: CellKind = {
  stored: 'text',
  read: (cell) =>
    /^\d{4}-\d\d-\d\d$/.test(cell) && isCalendarDate(cell) ? cell : new BadCell('is not a date (YYYY-MM-DD)'),
  write: asItIs,
};

export const timeOfDay: CellKind = {
  stored: 'text',
  read: (cell) =>
    /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(cell) ? cell : new BadCell('is not a time of day (HH:MM)'),
  write: asItIs,
};

export function integer(least: number, most: number): CellKind {
  const refusal = new BadCell(`is not a whole number from ${String(least)} to ${String(most)}`);
  return {
    stored: 'integer',
    read: (cell) => {
      const value = /^\d{1,9}$/.test(cell) ? Number(cell) : Number.NaN;
      return value >= least && value <= most ? value : refusal;
    },
    write: asItIs,
  };
}

const INSTANT =
  /^(\d{4}-\d\d-\d\d)(?:[T ]((?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?)(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/** An optional ISO 8601 point in time, in milliseconds since 1970; UTC without a zone. */
export const optionalInstant: CellKind = {
  stored: 'integer',
  read: (cell) => {
    if (cell === '') return null;
    const [, day = '', time = '00:00', zone = 'Z'] = INSTANT.exec(cell) ?? [];
    const value = day !== '' && isCalendarDate(day) ? Date.parse(`${day}T${time}${zone}`) : Number.NaN;
    // A zone can move the first or last hours of the calendar out of its four-digit years.
    if (Number.isNaN(value) || value < FIRST_INSTANT || value > LAST_INSTANT) {
      return new BadCell('is not a time (YYYY-MM-DDTHH:MM:SSZ)');
    }
    return value;
  },
  write: (value) => (typeof value === 'number' ? new Date(value).toISOString() : ''),
};

const FIRST_INSTANT = Date.parse('0000-01-01T00:00:00Z');
const LAST_INSTANT = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns true if YYYY-MM-DD is a calendar day: 30 February is not. */
function isCalendarDate(day: string): boolean {
  const instant = new Date(`${day}T00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(day);
}
