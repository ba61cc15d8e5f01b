import { SaxesParser } from 'saxes';
import type { Entry, ZipFile } from 'yauzl';

import { CsvSyntaxError } from '../../store/csv/book';

/** Maximum size of any other part, in bytes of XML; what is read of it stays in memory. */
const MAX_PART_BYTES = 128 * 1024 * 1024;
/** Maximum number of parts of a workbook. */
const MAX_PARTS = 10_000;
/** Deepest nesting of elements; workbooks have ten levels. */
const MAX_DEPTH = 100;
/** Maximum length of a text, in UTF-16 units; Excel allows 32,767. */
export const MAX_TEXT = 1024 * 1024;

export const UNSOUND = 'is not a valid .xlsx workbook; save it again in the spreadsheet, without a password';

/**
 * Namespaces of what is read: of ECMA-376's transitional and strict documents. Others are extensions, whose
 * elements may have the same local names.
 */
const NAMESPACES: readonly string[] = [
  'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  'http://purl.oclc.org/ooxml/spreadsheetml/main',
  'http://schemas.openxmlformats.org/package/2006/relationships',
];

/** Receives the elements of a part that are in the namespace of its root; names are without prefix. */
export interface PartHandler {
  open(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** Parts of a workbook, which is a ZIP archive of XML documents. */
export class Parts {
  readonly #zip: ZipFile;
  readonly #entries = new Map<string, Entry>();

  constructor(zip: ZipFile) {
    this.#zip = zip;
  }

  async list(): Promise<void> {
    for await (const entry of this.#zip.eachEntry()) {
      if (this.#entries.size >= MAX_PARTS) throw new CsvSyntaxError(1, '', 'has too many parts');
      // Names of parts are compared without regard to case (ECMA-376-2, 6.2.2.3).
      this.#entries.set(entry.fileName.toLowerCase(), entry);
    }
  }

  has(name: string): boolean {
    return this.#entries.has(name.toLowerCase());
  }

  /** Reads a part to its end. */
  async readAll(name: string, handler: PartHandler, maxBytes = MAX_PART_BYTES): Promise<void> {
    const pieces = this.read(name, handler, maxBytes);
    while ((await pieces.next()).done !== true);
  }

  /** Reads a part, and yields the share read so far after each piece. */
  async *read(name: string, handler: PartHandler, maxBytes: number): AsyncGenerator<number> {
    const entry = this.#entry(name, maxBytes);
    const parser = new SaxesParser();
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('doctype', () => {
      throw new CsvSyntaxError(1, '', UNSOUND);
    });
    const elements = new OwnElements(handler);
    parser.on('opentag', ({ name: tag, attributes }) => elements.open(tag, attributes));
    parser.on('text', (text) => elements.text(text));
    parser.on('cdata', (text) => elements.text(text));
    parser.on('closetag', ({ name: tag }) => elements.close(tag));
    // The parser keeps what lies between two tags, and a long tag, in memory.
    let sinceTag = 0;
    parser.on('opentagstart', () => {
      sinceTag = 0;
    });
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let bytesRead = 0;
    for await (const bytes of await this.#bytes(entry)) {
      bytesRead += bytes.length;
      sinceTag += bytes.length;
      if (sinceTag > MAX_TEXT) throw new CsvSyntaxError(1, '', 'has a cell that is too long');
      parser.write(decoder.decode(bytes, { stream: true }));
      yield bytesRead / entry.uncompressedSize;
    }
    parser.write(decoder.decode()).close();
    yield 1;
  }

  /**
   * Returns true if the bytes of a part contain an ASCII word, which takes a tenth of the time of reading its
   * XML.
   */
  async contains(name: string, word: string, maxBytes: number): Promise<boolean> {
    let tail = '';
    for await (const bytes of await this.#bytes(this.#entry(name, maxBytes))) {
      if (bytes.includes(word)) return true;
      const head = tail + bytes.toString('latin1', 0, word.length);
      if (head.includes(word)) return true;
      tail = (tail + bytes.toString('latin1', Math.max(0, bytes.length - word.length))).slice(-word.length);
    }
    return false;
  }

  /** @throws CsvSyntaxError for a part that is missing or too large */
  #entry(name: string, maxBytes: number): Entry {
    const entry = this.#entries.get(name.toLowerCase());
    if (entry === undefined) throw new CsvSyntaxError(1, '', UNSOUND);
    // The library ends a part that is larger than it says.
    if (entry.uncompressedSize > maxBytes) {
      throw new CsvSyntaxError(1, '', `is too large: ${name} has more than ${String(maxBytes / 2 ** 20)} MB`);
    }
    return entry;
  }

  async #bytes(entry: Entry): Promise<AsyncIterable<Buffer>> {
    return this.#zip.openReadStreamPromise(entry); // A stream without an encoding.
  }
}

/**
 * Passes on the elements of the root's namespace: an extension may have an element of the same local name.
 */
class OwnElements {
  readonly #handler: PartHandler;
  #depth = 0;
  #prefix = '';
  #declaration = 'xmlns';
  #namespace = '';
  /** Depth of the element that gives the prefix another meaning; 0 outside of one. */
  #foreignDepth = 0;

  constructor(handler: PartHandler) {
    this.#handler = handler;
  }

  open(tag: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth += 1;
    requireAtMost(this.#depth, MAX_DEPTH, 'is nested too deep');
    if (this.#depth === 1) this.#startAt(tag, attributes);
    if (this.#foreignDepth > 0) return;
    const declared = attributes[this.#declaration];
    if (declared !== undefined && declared !== this.#namespace) this.#foreignDepth = this.#depth;
    else if (this.#isOwn(tag)) this.#handler.open(tag.slice(this.#prefix.length), attributes);
  }

  text(text: string): void {
    if (this.#foreignDepth === 0) this.#handler.text?.(text);
  }

  close(tag: string): void {
    if (this.#foreignDepth === this.#depth) this.#foreignDepth = 0;
    else if (this.#foreignDepth === 0 && this.#isOwn(tag)) {
      this.#handler.close?.(tag.slice(this.#prefix.length));
    }
    this.#depth -= 1;
  }

  #startAt(tag: string, attributes: Readonly<Record<string, string>>): void {
    this.#prefix = tag.slice(0, tag.indexOf(':') + 1);
    this.#declaration = this.#prefix === '' ? 'xmlns' : `xmlns:${this.#prefix.slice(0, -1)}`;
    this.#namespace = attributes[this.#declaration] ?? '';
    if (!NAMESPACES.includes(this.#namespace)) throw new CsvSyntaxError(1, '', UNSOUND);
  }

  #isOwn(tag: string): boolean {
    return this.#prefix === '' ? !tag.includes(':') : tag.startsWith(this.#prefix);
  }
}

/** @throws CsvSyntaxError above the limit */
export function requireAtMost(count: number, limit: number, problem: string): void {
  if (count > limit) throw new CsvSyntaxError(1, '', problem);
}
