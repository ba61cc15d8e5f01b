import { PassThrough } from 'node:stream';

import { wholeLines } from '../../src/service/process-pool';

/** What is handed on of what a stream brings in these pieces. */
function handedOn(pieces: readonly string[]): readonly string[] {
  const source = new PassThrough();
  const blocks: string[] = [];
  wholeLines(source, (lines) => blocks.push(lines.toString()));
  for (const piece of pieces) source.emit('data', Buffer.from(piece));
  return blocks;
}

describe('what a process logs', () => {
  it('is handed on as it comes where it ends with a line', () => {
    expect(handedOn(['a\nb\n', 'c\n'])).toEqual(['a\nb\n', 'c\n']);
  });

  it('is never handed on in the middle of a line', () => {
    expect(handedOn(['a\nb', 'b', 'b\nc\nd', '\n'])).toEqual(['a\n', 'bbb\nc\n', 'd\n']);
  });

  it('is left out where a line was not written to its end', () => {
    expect(handedOn(['a\nb'])).toEqual(['a\n']);
  });
});
