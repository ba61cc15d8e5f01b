import { appendFileSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** Files by name, each with its lines. */
export type CsvLines = Readonly<Record<string, Iterable<string>>>;

/** Lines are written together up to some such length, in UTF-16 units. */
const BLOCK_LENGTH = 500_000;

/** Writes CSV files into a folder, which is made where it is missing; returns the folder. */
export function writeCsv(folder: string, files: CsvLines): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, lines] of Object.entries(files)) {
    const file = openSync(join(folder, name), 'w');
    let block = '';
    for (const line of lines) {
      block += `${line}\n`;
      if (block.length > BLOCK_LENGTH) {
        appendFileSync(file, block);
        block = '';
      }
    }
    appendFileSync(file, block);
    closeSync(file);
  }
  return folder;
}
