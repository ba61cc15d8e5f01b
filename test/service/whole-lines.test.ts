import { PassThrough } from 'node:stream';

import { wholeLines } from '../../src/service/processes/process-pool';

/** Returns the lines that are passed on when a stream arrives in these pieces. */
function handedOn(pieces: readonly string[]): readonly string[] {
  const source = new PassThrough();
  const blocks: string[] = [];
  wholeLines(source, (lines) => blocks.push(lines.toString()));
  for (const piece of pieces) source.emit('data', Buffer.from(piece));
  return blocks;
}

describe('the log of a process', () => {
  it('is passed on at once if it ends with a line', () => {
    expect(handedOn(['a\nb\n', 'c\n'])).toEqual(['a\nb\n', 'c\n']);
  });

  it('is never passed on in the middle of a line', () => {
    expect(handedOn(['a\nb', 'b', 'b\nc\nd', '\n'])).toEqual(['a\n', 'bbb\nc\n', 'd\n']);
  });

  it('is passed on without an incomplete last line', () => {
    expect(handedOn(['a\nb'])).toEqual(['a\n']);
  });
});
