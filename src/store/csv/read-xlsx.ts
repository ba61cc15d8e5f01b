import { posix } from 'node:path';
import { Readable } from 'node:stream';

import { fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';

import { errorWord } from '../../support/errors';
import type { RegularFile } from '../../support/regular-file';
import { BadCell } from './cell-kinds';
import { FolderError } from './csv-files';
import { type CsvRecord, CsvSyntaxError } from './read-csv';
import { type NumberFormat, numberFormat } from './xlsx-formats';
import { MAX_TEXT, type PartHandler, Parts, requireAtMost, UNSOUND } from './xlsx-parts';

/** Maximum size of a sheet, in bytes of XML; it is read piece by piece. */
const MAX_SHEET_BYTES = 1024 * 1024 * 1024;
/** Maximum number of relations and of sheets. */
const MAX_SHEETS = 10_000;
/** Maximum number of shared texts: four for each row of the largest sheet. */
const MAX_TEXTS = 4 * 1_048_576;
/** Excel allows 65,490 formats of cells, and some 250 codes of their own. */
const MAX_FORMATS = 65_536;
const MAX_CODES = 5000;
/** Maximum length of a row's own texts together. */
const MAX_ROW_TEXT = 8 * MAX_TEXT;
/** Size of the largest sheet that Excel knows. */
const MAX_ROWS = 1_048_576;
const MAX_COLUMNS = 16_384;

const noResult = new BadCell('is a formula without a result; save the workbook again in the spreadsheet');

/** Relationship of the workbook to another part. */
interface Relation {
  readonly type: string;
  readonly target: string;
}

/** Contains the texts and formats that the cells of a sheet refer to by number. */
interface Book {
  readonly texts: readonly string[];
  readonly formats: readonly NumberFormat[];
}

/**
 * Reads a sheet of an .xlsx workbook row by row: its only one, or the one with a name. Rows without anything in their
 * cells are skipped.
 *
 * @throws CsvSyntaxError for an invalid workbook, FolderError if it cannot be read
 */
export async function* readXlsx(file: RegularFile, sheetName: string): AsyncGenerator<CsvRecord> {
  let workbook: Workbook | undefined;
  let line = 1;
  try {
    workbook = await openWorkbook(file);
    const { parts, isFrom1904, sheets } = workbook;
    const relations = await relationsOf(parts);
    const sheetId = findSheet(sheets, sheetName);
    const book: Book = {
      texts: await sharedTexts(parts, targetOf(relations, '/sharedStrings')),
      formats: await numberFormats(parts, targetOf(relations, '/styles'), isFrom1904),
    };
    const sheet = new SheetReader(book);
    const part = relations.get(sheetId)?.target ?? '';
    let width: number | undefined;
    for await (const share of parts.read(part, sheet, MAX_SHEET_BYTES)) {
      for (const row of sheet.takeRows()) {
        line = row.line;
        // Excel leaves out empty cells, and keeps some that have only a format.
        const used = row.cells.findLastIndex((cell) => !isBlank(cell)) + 1;
        if (used === 0) continue;
        width ??= used;
        const cells = Array.from({ length: Math.max(width, used) }, (_, at) => row.cells[at] ?? '');
        yield { line, cells, note: '', bytesRead: Math.round(file.size * share) };
      }
    }
  } catch (error) {
    if (error instanceof CsvSyntaxError) throw error;
    throw readError(error, file) ?? new CsvSyntaxError(line, '', UNSOUND);
  } finally {
    workbook?.zip.close();
  }
}

/** @throws FolderError if the workbook is invalid or cannot be read */
export async function sheetNames(file: RegularFile): Promise<readonly string[]> {
  try {
    const { zip, sheets } = await openWorkbook(file);
    zip.close();
    return sheets.map(({ name }) => name);
  } catch (error) {
    throw readError(error, file) ?? new FolderError(`${file.path} ${UNSOUND}.`, { cause: error });
  }
}

/** An open workbook; to be closed with `zip.close`. */
interface Workbook {
  readonly zip: ZipFile;
  readonly parts: Parts;
  readonly isFrom1904: boolean;
  /** Each with the id of its relation. */
  readonly sheets: readonly { readonly name: string; readonly id: string }[];
}

/** Number of bytes read of an archive at once. */
const READ_BYTES = 64 * 1024;

/** Reads a ZIP archive from an open file, and leaves it open: Node's own streams close it when they are destroyed. */
class OpenFileReader extends RandomAccessReader {
  readonly #file: RegularFile;

  constructor(file: RegularFile) {
    super();
    this.#file = file;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#read(start, end), { objectMode: false });
  }

  async *#read(start: number, end: number): AsyncGenerator<Buffer> {
    for (let position = start; position < end;) {
      const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, end - position));
      const { bytesRead } = await this.#file.handle.read(chunk, 0, chunk.length, position);
      if (bytesRead === 0) return;
      yield chunk.subarray(0, bytesRead);
      position += bytesRead;
    }
  }
}

async function openWorkbook(file: RegularFile): Promise<Workbook> {
  const options = { lazyEntries: true, autoClose: false };
  const zip = await fromRandomAccessReaderPromise(new OpenFileReader(file), file.size, options);
  try {
    const parts = new Parts(zip);
    await parts.list();
    return { zip, parts, ...(await sheetsOf(parts)) };
  } catch (error) {
    zip.close();
    throw error;
  }
}

/** Returns the error for one of the file system; all others are of the libraries, about the contents. */
function readError(error: unknown, { path }: RegularFile): FolderError | undefined {
  if (!(error instanceof Error && 'syscall' in error)) return undefined;
  return new FolderError(`Cannot read ${path} (${errorWord(error)}).`, { cause: error });
}

function isBlank(cell: string | BadCell | undefined): boolean {
  return cell === undefined || (typeof cell === 'string' && cell.trim() === '');
}

async function relationsOf(parts: Parts): Promise<ReadonlyMap<string, Relation>> {
  const relations = new Map<string, Relation>();
  await parts.readAll('xl/_rels/workbook.xml.rels', {
    open: (name, { Id = '', Type = '', Target = '' }) => {
      if (name !== 'Relationship') return;
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join('xl', Target);
      relations.set(Id, { type: Type, target });
      requireAtMost(relations.size, MAX_SHEETS, 'has too many parts');
    },
  });
  return relations;
}

function targetOf(relations: ReadonlyMap<string, Relation>, type: string): string | undefined {
  return [...relations.values()].find((relation) => relation.type.endsWith(type))?.target;
}

async function sheetsOf(parts: Parts): Promise<Pick<Workbook, 'isFrom1904' | 'sheets'>> {
  const sheets: Workbook['sheets'][number][] = [];
  let isFrom1904 = false;
  await parts.readAll('xl/workbook.xml', {
    open: (name, attributes) => {
      if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      const [, id = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? [];
      sheets.push({ name: attributes['name'] ?? '', id });
      requireAtMost(sheets.length, MAX_SHEETS, 'has too many sheets');
    },
  });
  return { isFrom1904, sheets };
}

function findSheet(sheets: Workbook['sheets'], wanted: string): string {
  const named = sheets.find(({ name }) => name.normalize().toLowerCase() === wanted);
  const found = named ?? (sheets.length === 1 ? sheets[0] : undefined);
  if (found !== undefined) return found.id;
  const reason = `has ${String(sheets.length)} sheets; name one of them ${wanted} or keep only one`;
  throw new CsvSyntaxError(1, '', reason);
}

async function sharedTexts(parts: Parts, part: string | undefined): Promise<readonly string[]> {
  const texts: string[] = [];
  if (part === undefined) return texts;
  const text = new TextCollector();
  await parts.readAll(part, {
    open: (name) => {
      if (name === 'si') text.take();
      text.open(name);
    },
    text: (piece) => text.add(piece),
    close: (name) => {
      text.close(name);
      if (name !== 'si') return;
      texts.push(text.take());
      requireAtMost(texts.length, MAX_TEXTS, 'has too many different texts');
    },
  });
  return texts;
}

/** Collects the text of `t` and `v` elements, except for the pronunciation of East Asian texts. */
class TextCollector {
  #text = '';
  #isOpen = false;
  #isPhonetic = false;

  open(name: string): void {
    if (name === 'rPh') this.#isPhonetic = true;
    this.#isOpen = (name === 't' || name === 'v') && !this.#isPhonetic;
  }

  add(piece: string): void {
    if (!this.#isOpen) return;
    this.#text += piece;
    if (this.#text.length > MAX_TEXT) throw new CsvSyntaxError(1, '', 'has a cell that is too long');
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false;
    this.#isOpen = false;
  }

  /** Returns the text since the last call, with control characters in place of their escapes. */
  take(): string {
    const text = this.#text;
    this.#text = '';
    return text.replace(/_x([\dA-Fa-f]{4})_/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
}

async function numberFormats(
  parts: Parts,
  part: string | undefined,
  isFrom1904: boolean,
): Promise<readonly NumberFormat[]> {
  const formats: NumberFormat[] = [];
  const codes = new Map<number, string>();
  const byId = new Map<number, NumberFormat>();
  const formatOf = (id: number): NumberFormat => {
    const format = byId.get(id) ?? numberFormat(id, codes.get(id), isFrom1904);
    byId.set(id, format);
    return format;
  };
  let isOfCells = false;
  if (part !== undefined) {
    await parts.readAll(part, {
      open: (name, { numFmtId, formatCode = '' }) => {
        const id = Number(numFmtId ?? 0);
        if (name === 'numFmt') codes.set(id, formatCode);
        else if (name === 'cellXfs') isOfCells = true;
        else if (name === 'xf' && isOfCells) formats.push(formatOf(id));
        requireAtMost(codes.size, MAX_CODES, 'has too many number formats');
        requireAtMost(formats.length, MAX_FORMATS, 'has too many cell formats');
      },
      close: (name) => {
        if (name === 'cellXfs') isOfCells = false;
      },
    });
  }
  return formats.length > 0 ? formats : [numberFormat(0, undefined, isFrom1904)];
}

interface SheetRow {
  readonly line: number;
  /** May have holes. */
  readonly cells: readonly (string | BadCell | undefined)[];
}

/** Collects the rows of a sheet. */
class SheetReader implements PartHandler {
  readonly #book: Book;
  readonly #text = new TextCollector();
  #rows: SheetRow[] = [];
  #line = 0;
  #cells: (string | BadCell | undefined)[] = [];
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

  open(name: string, { r, s, t }: Readonly<Record<string, string>>): void {
    if (name === 'row') {
      const line = r === undefined ? this.#line + 1 : Number(r);
      if (!(line > this.#line && line <= MAX_ROWS)) throw new CsvSyntaxError(this.#line, '', UNSOUND);
      this.#line = line;
      this.#cells = [];
      this.#column = -1;
      this.#characters = 0;
    } else if (name === 'c') {
      this.#column = r === undefined ? this.#column + 1 : columnOf(r);
      if (!(this.#column < MAX_COLUMNS)) throw new CsvSyntaxError(this.#line, '', UNSOUND);
      this.#type = t ?? 'n';
      this.#style = Number(s ?? 0);
      this.#isFormula = false;
      this.#text.take();
    } else if (name === 'f') {
      this.#isFormula = true;
    }
    this.#text.open(name);
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
    if (name === 'row') this.#rows.push({ line: this.#line, cells: this.#cells });
  }

  #cell(text: string): string | BadCell {
    if (text === '' && this.#isFormula && this.#type !== 'str') return noResult;
    if (this.#type === 'b') return text === '1' ? 'TRUE' : 'FALSE';
    if (text === '' || (this.#type !== 'n' && this.#type !== 's')) return text;
    const found = this.#type === 's' ? this.#book.texts[Number(text)] : this.#book.formats[this.#style];
    const value = typeof found === 'function' ? found(Number(text)) : found;
    if (value === undefined || value === 'NaN') throw new CsvSyntaxError(this.#line, '', UNSOUND);
    return value;
  }
}

/** Returns the number of a column from a reference such as AB12, beginning with 0. */
function columnOf(reference: string): number {
  const [letters = ''] = /^[A-Z]{1,3}(?=\d+$)/.exec(reference) ?? [];
  const number = Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
  return letters === '' ? Number.NaN : number - 1;
}
