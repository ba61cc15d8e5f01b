import { BadCell, CsvSyntaxError, type SheetMoment, spreadsheetError } from '../../store/csv/book';
import { isTrue, TextCollector } from './xlsx-book';
import { type CellFormat, momentNumber } from './xlsx-formats';
import { MAX_TEXT, type PartHandler, UNSOUND } from './xlsx-parts';

/** Maximum length of a row's own texts together. */
const MAX_ROW_TEXT = 8 * MAX_TEXT;
/** Size of the largest sheet that Excel knows. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

const noResult = new BadCell('is a formula without a result; save the workbook again in the spreadsheet');
const truthValue = new BadCell(
  'is a truth value, which each computer shows in its own language; format the column as text in the spreadsheet',
);

/** A cell of a workbook; undefined if it has nothing. */
export type SheetCell = string | SheetMoment | BadCell | undefined;

/** Contains the texts and formats that the cells of a sheet refer to by number. */
interface Book {
  readonly texts: readonly string[];
  readonly formats: readonly CellFormat[];
  readonly isFrom1904: boolean;
}

interface SheetRow {
  readonly line: number;
  readonly isHidden: boolean;
  /** May have holes. */
  readonly cells: readonly SheetCell[];
}

/** Collects the rows of a sheet. */
export class SheetReader implements PartHandler {
  readonly #book: Book;
  readonly #text = new TextCollector();
  readonly #hiddenColumns: (readonly [first: number, last: number])[] = [];
  #rows: SheetRow[] = [];
  #line = 0;
  #isHidden = false;
  #cells: SheetCell[] = [];
  #column = -1;
  #type = '';
  #style = 0;
  #isFormula = false;
  /** Length of the row's own texts so far. */
  #characters = 0;

  constructor(book: Book) {
    this.#book = book;
  }

  /** Returns the rows read since the last call. */
  takeRows(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  /** Returns true for a column that a person does not see. @param column - the first is 0 */
  isHiddenColumn(column: number): boolean {
    return this.#hiddenColumns.some(([first, last]) => first <= column && column <= last);
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const { r, s, t } = attributes;
    if (name === 'row') {
      const line = r === undefined ? this.#line + 1 : Number(r);
      if (!(line > this.#line && line <= MAX_ROWS)) throw new CsvSyntaxError(this.#line, '', UNSOUND);
      this.#line = line;
      this.#isHidden = isTrue(attributes['hidden']) || Number(attributes['ht'] ?? 1) === 0;
      this.#cells = [];
      this.#column = -1;
      this.#characters = 0;
    } else if (name === 'c') {
      this.#column = r === undefined ? this.#column + 1 : placeOf(r).column;
      if (!(this.#column < MAX_COLUMNS)) throw new CsvSyntaxError(this.#line, '', UNSOUND);
      this.#type = t ?? 'n';
      this.#style = Number(s ?? 0);
      this.#isFormula = false;
      this.#text.take();
    } else if (name === 'f') {
      this.#isFormula = true;
    } else if (name === 'col' && (isTrue(attributes['hidden']) || Number(attributes['width'] ?? 1) === 0)) {
      this.#hiddenColumns.push([Number(attributes['min']) - 1, Number(attributes['max']) - 1]);
      if (this.#hiddenColumns.length > MAX_COLUMNS) throw new CsvSyntaxError(1, '', UNSOUND);
    }
    this.#text.open(name, attributes);
  }

  text(piece: string): void {
    this.#text.add(piece);
  }

  close(name: string): void {
    this.#text.close(name);
    if (name === 'c') {
      const text = this.#text.take();
      this.#characters += text.length;
      if (this.#characters > MAX_ROW_TEXT)
        throw new CsvSyntaxError(this.#line, '', 'has a row that is too long');
      this.#cells[this.#column] = this.#cell(text);
    }
    if (name === 'row') this.#rows.push({ line: this.#line, isHidden: this.#isHidden, cells: this.#cells });
  }

  #cell(text: string): SheetCell {
    const type = this.#type;
    if (type === 'e') return new BadCell(spreadsheetError.reason, text);
    if (text === '') return this.#isFormula && type !== 'str' ? noResult : '';
    if (type === 'b') return new BadCell(truthValue.reason, text === '1' ? 'TRUE' : 'FALSE');
    const format = this.#book.formats[this.#style];
    if (format === undefined) throw new CsvSyntaxError(this.#line, '', UNSOUND);
    if (type === 'n' || type === 'd') {
      const number = type === 'n' ? Number(text) : momentNumber(text, this.#book.isFrom1904);
      if (!Number.isFinite(number)) throw new CsvSyntaxError(this.#line, '', UNSOUND);
      return withShown(format.number(number), text);
    }
    const value = type === 's' ? this.#book.texts[Number(text)] : text;
    if (value === undefined) throw new CsvSyntaxError(this.#line, '', UNSOUND);
    return value === '' ? '' : withShown(format.text(value), value);
  }
}

function withShown<Cell>(cell: Cell | BadCell, text: string): Cell | BadCell {
  return cell instanceof BadCell ? new BadCell(cell.reason, text) : cell;
}

/** Numbers of a line, beginning with 1, and of a column, beginning with 0; NaN for what is no reference. */
interface CellPlace {
  readonly line: number;
  readonly column: number;
}

/** Returns the place that a reference such as AB12 names. */
function placeOf(reference: string): CellPlace {
  const [whole, letters = '', digits = ''] = /^([A-Z]{1,3})(\d{1,7})$/.exec(reference) ?? [];
  if (whole === undefined) return { line: Number.NaN, column: Number.NaN };
  const number = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return { line: Number(digits), column: number - 1 };
}

/** Cells that a person sees as one. */
export interface MergedArea {
  readonly first: CellPlace;
  readonly last: CellPlace;
}

/** Maximum number of cells in merged areas: four for each row of the largest sheet. */
const MAX_MERGED = 4 * MAX_ROWS;

/** Collects the merged areas of a sheet, which follow its rows. */
export class MergeReader implements PartHandler {
  readonly #areas: MergedArea[] = [];
  #cells = 0;

  open(name: string, { ref = '' }: Readonly<Record<string, string>>): void {
    if (name !== 'mergeCell') return;
    const [first = '', last = first] = ref.split(':');
    const area = { first: placeOf(first), last: placeOf(last) };
    const lines = area.last.line - area.first.line + 1;
    const columns = area.last.column - area.first.column + 1;
    if (!(lines >= 1 && columns >= 1)) throw new CsvSyntaxError(1, '', UNSOUND);
    // A title may span all columns of a sheet.
    this.#cells += lines * Math.min(columns, MAX_COLUMNS / 64);
    if (this.#cells > MAX_MERGED) throw new CsvSyntaxError(1, '', 'has too many merged cells');
    this.#areas.push(area);
  }

  /** Returns the areas, the upper ones first. */
  get areas(): readonly MergedArea[] {
    return this.#areas.toSorted((one, other) => one.first.line - other.first.line);
  }
}

const mergedColumns = new BadCell('is merged over several columns; unmerge the cells');
const mergedHeader = new BadCell('is merged with the header; unmerge the cells');

/** Puts what a merged area shows into each of its rows. */
export class MergedAreas {
  readonly #areas: readonly MergedArea[];
  #next = 0;
  /** Areas that reach the last row, with what they show. */
  #open: { readonly area: MergedArea; readonly value: SheetCell }[] = [];

  constructor(areas: readonly MergedArea[]) {
    this.#areas = areas;
  }

  /**
   * Completes a row. Must be called for each row with something of its own, in order.
   *
   * @param cells - of the row; changed
   * @param header - number of the header's line
   */
  fill(line: number, cells: SheetCell[], header: number): void {
    this.#open = this.#open.filter(({ area }) => area.last.line >= line);
    for (let area = this.#areas[this.#next]; area !== undefined; area = this.#areas[this.#next]) {
      if (area.first.line > line) break;
      this.#next += 1;
      if (area.last.line < line) continue;
      // A row without anything in its cells may be left out of the file.
      const value = area.first.line === line ? cells[area.first.column] : undefined;
      const isHeader = area.first.line <= header && area.last.line > header;
      const isWide = area.last.column > area.first.column;
      this.#open.push({ area, value: isHeader ? mergedHeader : isWide ? mergedColumns : value });
    }
    for (const { area, value } of this.#open) {
      if (value === undefined || line === header) continue;
      const last = Math.min(area.last.column, cells.length - 1);
      for (let column = area.first.column; column <= last; column += 1) cells[column] = value;
    }
  }
}
