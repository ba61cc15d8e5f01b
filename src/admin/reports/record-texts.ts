import { csvLine } from '../../store';
import { shown, shownJson } from '../../support/text';

/** What a spreadsheet would run as a formula; a masked number is none. */
const FORMULA = /^(?:[=@\t\r]|[+-](?![\d.]+$))/;

/** CSV with a header row. What a spreadsheet would run begins with an apostrophe. */
export function csvTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map(shown).map((cell) => (FORMULA.test(cell) ? `'${cell}` : cell)));
  return [header, ...cells].map(csvLine).join('');
}

/** A record for programs: JSON in one line, with its end. */
export function jsonLine(record: Readonly<Record<string, unknown>>): string {
  return `${shownJson(record)}\n`;
}
