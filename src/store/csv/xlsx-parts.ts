import { SaxesParser } from 'saxes';
import type { Entry, ZipFile } from 'yauzl';

import { CsvSyntaxError } from './read-csv';

/** Maximum size of any other part, in bytes of XML; what is read of it stays in memory. */
const MAX_PART_BYTES = 128 * 1024 * 1024;
/** Maximum number of parts of a workbook. */
const MAX_PARTS = 10_000;
/** Deepest nesting of elements; workbooks have ten levels. */
const MAX_DEPTH = 100;
/** Maximum length of a text, in UTF-16 units; Excel allows 32,767. */
export const MAX_TEXT = 1024 * 1024;

export const UNSOUND = 'is not a valid .xlsx workbook; save it again in the spreadsheet, without a password';

/** Receives the contents of a part; names are without prefix. */
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
      this.#entries.set(entry.fileName, entry);
    }
  }

  /** Reads a part to its end. */
  async readAll(name: string, handler: PartHandler): Promise<void> {
    const pieces = this.read(name, handler, MAX_PART_BYTES);
    while ((await pieces.next()).done !== true);
  }

  /** Reads a part, and yields the share read so far after each piece. */
  async *read(name: string, handler: PartHandler, maxBytes: number): AsyncGenerator<number> {
    const entry = this.#entries.get(name);
    if (entry === undefined) throw new CsvSyntaxError(1, '', UNSOUND);
    // The library ends a part that is larger than it says.
    if (entry.uncompressedSize > maxBytes) {
      throw new CsvSyntaxError(1, '', `is too large: ${name} has more than ${String(maxBytes / 2 ** 20)} MB`);
    }
    const parser = new SaxesParser();
    parser.on('error', (error) => {
      throw error;
    });
    parser.on('doctype', () => {
      throw new CsvSyntaxError(1, '', UNSOUND);
    });
    let depth = 0;
    parser.on('opentag', ({ name: tag, attributes }) => {
      depth += 1;
      requireAtMost(depth, MAX_DEPTH, 'is nested too deep');
      handler.open(withoutPrefix(tag), attributes);
    });
    parser.on('text', (text) => handler.text?.(text));
    parser.on('closetag', ({ name: tag }) => {
      depth -= 1;
      handler.close?.(withoutPrefix(tag));
    });
    // The parser keeps what lies between two tags, and a long tag, in memory.
    let sinceTag = 0;
    parser.on('opentagstart', () => {
      sinceTag = 0;
    });
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let bytesRead = 0;
    for await (const chunk of await this.#zip.openReadStreamPromise(entry)) {
      const bytes = chunk as Buffer; // A stream without an encoding.
      bytesRead += bytes.length;
      sinceTag += bytes.length;
      if (sinceTag > MAX_TEXT) throw new CsvSyntaxError(1, '', 'has a cell that is too long');
      parser.write(decoder.decode(bytes, { stream: true }));
      yield bytesRead / entry.uncompressedSize;
    }
    parser.write(decoder.decode()).close();
    yield 1;
  }
}

/** @throws CsvSyntaxError above the limit */
export function requireAtMost(count: number, limit: number, problem: string): void {
  if (count > limit) throw new CsvSyntaxError(1, '', problem);
}

function withoutPrefix(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
