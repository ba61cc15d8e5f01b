import { posix } from 'node:path';
import { Readable } from 'node:stream';

import { fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl';

import type { RegularFile } from '../../support/regular-file';
import { CsvSyntaxError, type Sheet } from '../../store/csv/book';
import { type CellFormat, cellFormat } from './xlsx-formats';
import { MAX_TEXT, Parts, requireAtMost } from './xlsx-parts';

/** Maximum number of relations and of sheets. */
const MAX_SHEETS = 10_000;
/** Maximum number of shared texts: four for each row of the largest sheet. */
const MAX_TEXTS = 4 * 1_048_576;
/** Excel allows 65,490 formats of cells, and some 250 codes of their own. */
const MAX_FORMATS = 65_536;
const MAX_CODES = 5000;

/** Sheet with the name of its part. */
export interface BookSheet extends Sheet {
  readonly part: string;
}

/** An open workbook; to be closed with `zip.close`. */
export interface Workbook {
  readonly zip: ZipFile;
  readonly parts: Parts;
  readonly isFrom1904: boolean;
  readonly sheets: readonly BookSheet[];
  readonly relations: ReadonlyMap<string, Relation>;
}

/** Relationship of the workbook to another part. */
interface Relation {
  /** Last part of the type's URL. */
  readonly type: string;
  readonly target: string;
}

/** Number of bytes read of an archive at once. */
const READ_BYTES = 64 * 1024;

/**
 * Reads a ZIP archive from an open file, and leaves it open: Node's own streams close it when they are
 * destroyed.
 */
class OpenFileReader extends RandomAccessReader {
  readonly #file: RegularFile;
  /** Bytes that `read` read last, and their place in the file. */
  #piece = Buffer.alloc(0);
  #start = 0;

  constructor(file: RegularFile) {
    super();
    this.#file = file;
  }

  /** The library reads the list of parts in pieces of some 50 bytes; its own way makes a stream for each. */
  override read(
    into: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const copy = async (): Promise<void> => {
      const has = (): boolean =>
        position >= this.#start && position + length <= this.#start + this.#piece.length;
      if (!has()) await this.#fill(position, Math.max(length, READ_BYTES));
      if (!has()) throw new Error('The file has become shorter');
      this.#piece.copy(into, offset, position - this.#start, position - this.#start + length);
    };
    copy().then(() => callback(null), callback);
  }

  async #fill(position: number, length: number): Promise<void> {
    const piece = Buffer.allocUnsafe(length);
    const { bytesRead } = await this.#file.handle.read(piece, 0, length, position);
    this.#piece = piece.subarray(0, bytesRead);
    this.#start = position;
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

/** @throws CsvSyntaxError, or an error of the file system or of a library */
export async function openWorkbook(file: RegularFile): Promise<Workbook> {
  const options = { lazyEntries: true, autoClose: false };
  const zip = await fromRandomAccessReaderPromise(new OpenFileReader(file), file.size, options);
  try {
    const parts = new Parts(zip);
    await parts.list();
    const main = await mainPart(parts);
    const relations = await relationsOf(parts, main);
    return { zip, parts, relations, ...(await sheetsOf(parts, main, relations)) };
  } catch (error) {
    zip.close();
    throw error;
  }
}

const USUAL_MAIN_PART = 'xl/workbook.xml';

/** Returns the part with the list of sheets; some programs give it another name than Excel does. */
async function mainPart(parts: Parts): Promise<string> {
  if (!parts.has('_rels/.rels')) return USUAL_MAIN_PART;
  return targetOf(await relationsOf(parts, ''), 'officeDocument') ?? USUAL_MAIN_PART;
}

/** @param source - the part whose relations are read; empty for the whole package */
async function relationsOf(parts: Parts, source: string): Promise<ReadonlyMap<string, Relation>> {
  const folder = posix.dirname(source);
  const relations = new Map<string, Relation>();
  await parts.readAll(posix.join(folder, '_rels', `${posix.basename(source)}.rels`), {
    open: (name, { Id = '', Type = '', Target = '' }) => {
      if (name !== 'Relationship') return;
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target);
      relations.set(Id, { type: Type.slice(Type.lastIndexOf('/') + 1), target });
      requireAtMost(relations.size, MAX_SHEETS, 'has too many parts');
    },
  });
  return relations;
}

export function targetOf(relations: ReadonlyMap<string, Relation>, type: string): string | undefined {
  return [...relations.values()].find((relation) => relation.type === type)?.target;
}

async function sheetsOf(
  parts: Parts,
  main: string,
  relations: ReadonlyMap<string, Relation>,
): Promise<Pick<Workbook, 'isFrom1904' | 'sheets'>> {
  const sheets: BookSheet[] = [];
  let isFrom1904 = false;
  await parts.readAll(main, {
    open: (name, attributes) => {
      if (name === 'workbookPr') isFrom1904 = isTrue(attributes['date1904']);
      if (name !== 'sheet') return;
      const [, id = ''] = Object.entries(attributes).find(([key]) => key.endsWith(':id')) ?? [];
      const { type, target = '' } = relations.get(id) ?? {};
      const isHidden = (attributes['state'] ?? 'visible') !== 'visible';
      const kind = type !== 'worksheet' ? 'other' : isHidden ? 'hidden' : 'table';
      sheets.push({ name: attributes['name'] ?? '', kind, part: target });
      requireAtMost(sheets.length, MAX_SHEETS, 'has too many sheets');
    },
  });
  return { isFrom1904, sheets };
}

/** Returns true for an attribute that is set. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

export async function sharedTexts({ parts, relations }: Workbook): Promise<readonly string[]> {
  const texts: string[] = [];
  const part = targetOf(relations, 'sharedStrings');
  if (part === undefined) return texts;
  const text = new TextCollector();
  await parts.readAll(part, {
    open: (name, attributes) => {
      if (name === 'si') text.take();
      text.open(name, attributes);
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
export class TextCollector {
  #text = '';
  /** Start of the open `t` element whose outer blanks do not count; -1 for none. */
  #trimmedFrom = -1;
  #isOpen = false;
  #isPhonetic = false;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'rPh') this.#isPhonetic = true;
    this.#isOpen = (name === 't' || name === 'v') && !this.#isPhonetic;
    this.#trimmedFrom =
      this.#isOpen && name === 't' && attributes['xml:space'] !== 'preserve' ? this.#text.length : -1;
  }

  add(piece: string): void {
    if (!this.#isOpen) return;
    this.#text += piece;
    if (this.#text.length > MAX_TEXT) throw new CsvSyntaxError(1, '', 'has a cell that is too long');
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false;
    this.#isOpen = false;
    if (this.#trimmedFrom === -1) return;
    // Excel shows no blanks at the ends of a text that does not ask for them.
    let start = this.#trimmedFrom;
    let end = this.#text.length;
    while (start < end && isXmlBlank(this.#text, start)) start += 1;
    while (end > start && isXmlBlank(this.#text, end - 1)) end -= 1;
    if (end - start < this.#text.length - this.#trimmedFrom)
      this.#text = this.#text.slice(0, this.#trimmedFrom) + this.#text.slice(start, end);
    this.#trimmedFrom = -1;
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

function isXmlBlank(text: string, at: number): boolean {
  return ' \t\r\n'.includes(text.charAt(at));
}

export async function cellFormats({
  parts,
  relations,
  isFrom1904,
}: Workbook): Promise<readonly CellFormat[]> {
  const formats: CellFormat[] = [];
  const codes = new Map<number, string>();
  const byId = new Map<number, CellFormat>();
  const formatOf = (id: number): CellFormat => {
    const format = byId.get(id) ?? cellFormat(id, codes.get(id), isFrom1904);
    byId.set(id, format);
    return format;
  };
  let isOfCells = false;
  const part = targetOf(relations, 'styles');
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
  return formats.length > 0 ? formats : [cellFormat(0, undefined, isFrom1904)];
}
