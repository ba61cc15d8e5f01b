import { Readable } from 'node:stream';

import type { FileRequest, Passed, Reader } from '../../../../src/features/migration/traffic/reader';

export interface ReadTraffic {
  readonly found: readonly FileRequest[];
  readonly passed: readonly { readonly line: number; readonly what: Passed; readonly reason: string }[];
}

/** Returns what a reader makes of a file that comes in pieces of a given number of bytes. */
export async function read(reader: Reader, file: Buffer | string, size = 7): Promise<ReadTraffic> {
  const found: FileRequest[] = [];
  const passed: ReadTraffic['passed'][number][] = [];
  const pieces = piecesOf(typeof file === 'string' ? Buffer.from(file) : file, size);
  for await (const one of reader(pieces, (line, what, reason) => passed.push({ line, what, reason })))
    found.push(one);
  return { found, passed };
}

function piecesOf(file: Buffer, size: number): AsyncIterable<Buffer> {
  const starts = Array.from({ length: Math.ceil(file.length / size) }, (_, index) => index * size);
  return Readable.from(starts.map((start) => file.subarray(start, start + size)));
}
