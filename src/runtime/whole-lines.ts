import type { Readable } from 'node:stream';

const LINE_END = 0x0a;

/**
 * Hands on what a stream brings, in blocks that end with a line: however many streams are written to one place
 * so, their lines do not mix. What comes behind the last line end is left out: the rest of that line was never
 * written.
 */
export function wholeLines(source: Readable, write: (lines: Buffer) => void): void {
  let begun: Buffer[] = [];
  source.on('data', (bytes: Buffer) => {
    const end = bytes.lastIndexOf(LINE_END) + 1;
    if (end > 0) {
      const lines = bytes.subarray(0, end);
      write(begun.length === 0 ? lines : Buffer.concat([...begun, lines]));
      begun = [];
    }
    if (end < bytes.length) begun.push(bytes.subarray(end));
  });
}
