// The wire contract, section 2.5: the escaping of text.

import { encodeMarkup, MarkupBuffer } from '../../../src/asmx/results/markup-buffer';
import { escapeText } from '../../../src/asmx/xml/xml-characters';

/** Returns what the contract says of text: escaped, then encoded. */
const expected = (text: string): string => Buffer.from(escapeText(text)).toString('hex');

const common = new MarkupBuffer();

function written(text: string): Buffer {
  common.text(text);
  return taken(common);
}

function taken(buffer: MarkupBuffer): Buffer {
  return Buffer.from(buffer.take().body);
}

describe('the buffer for long answers', () => {
  it('encodes and escapes each UTF-16 code unit like the writer of short answers', () => {
    const apart = (first: number, units: number): string =>
      Array.from({ length: units }, (_, at) => `a${String.fromCharCode(first + at)}é`).join('');
    for (let first = 0; first <= 0xffff; first += 256) {
      const text = apart(first, 256);
      if (written(text).toString('hex') === expected(text)) continue;
      for (let code = first; code < first + 256; code += 1) {
        expect([code, written(apart(code, 1)).toString('hex')]).toEqual([code, expected(apart(code, 1))]);
      }
    }
    expect(written('a<é').toString()).toBe('a&lt;é');
  });

  it.each([
    ['a pair of surrogates', 'x😀y'],
    ['halves of pairs in the wrong order', '\ude00\ud83d'],
    ['an entity after Arabic', 'محمد & علي'],
    ['forbidden characters', '\u0001\ufffe\uffff'],
    ['nothing', ''],
  ])('writes %s', (_, text) => {
    expect(written(text).toString('hex')).toBe(expected(text));
  });

  it('writes markup of every length, and what follows it, byte for byte', () => {
    const buffer = new MarkupBuffer();
    const letters = '<öğrenci ad="Ayşe 😀\u007f\u0001">';
    const pieces = Array.from({ length: letters.length * 2 }, (_, length) =>
      letters.repeat(2).slice(0, length),
    );
    const whole = pieces.filter((piece) => piece.isWellFormed());
    for (const piece of whole) {
      buffer.markup(encodeMarkup(piece));
      buffer.text('x');
    }
    expect(taken(buffer).toString()).toBe(whole.map((piece) => `${piece}x`).join(''));
  });

  it('grows, keeps its content, and starts again empty', () => {
    const buffer = new MarkupBuffer();
    const long = 'ö<'.repeat(300_000);
    buffer.markup(encodeMarkup('<a>'));
    buffer.text(long);
    buffer.markup(encodeMarkup('</a>'));
    const answer = taken(buffer);
    expect(answer.equals(Buffer.from(`<a>${escapeText(long)}</a>`))).toBe(true);

    buffer.text('short');
    expect(taken(buffer).toString()).toBe('short');
    expect(answer.length).toBe(300_000 * 6 + 7);
  });

  // 65,536 bytes are there at the start; one UTF-16 unit takes up to three.
  it.each([
    ['characters of three bytes', '\u20ac'],
    ['halves of pairs, three bytes each', '\ud83d'],
    ['a character to escape before those of three bytes', '<\u20ac'],
  ])('has room for %s at every length where it has to grow', (_, text) => {
    for (const length of [21_845, 21_846, 30_000, 32_767, 32_768, 32_769, 50_000, 65_537]) {
      const long = text + text.slice(-1).repeat(length - 1);
      const buffer = new MarkupBuffer();
      buffer.text(long);
      expect(taken(buffer).toString('hex') === expected(long)).toBe(true);
    }
  });

  it('grows for markup longer than the space left, even by one byte', () => {
    for (let left = 0; left <= 24; left += 1) {
      for (const markup of ['', '<', '<markup>', '<markup-2>', '<markup-of-17-byt']) {
        const buffer = new MarkupBuffer();
        const filling = encodeMarkup('x'.repeat(65_536 - left));
        buffer.markup(filling);
        buffer.markup(encodeMarkup(markup));
        buffer.text('end');
        expect(taken(buffer).subarray(filling.length).toString()).toBe(`${markup}end`);
      }
    }
  });

  it.each([1, 100_000])('returns answers that the next one does not change: %i times', (count) => {
    const buffer = new MarkupBuffer();
    buffer.text('first'.repeat(count));
    const { body } = buffer.take();
    buffer.text('other'.repeat(count));
    buffer.take();
    expect(body.toString()).toBe('first'.repeat(count));
  });

  it('reuses the memory of long answers once they are written', () => {
    const buffer = new MarkupBuffer();
    const memoryOf = (text: string) => {
      buffer.text(text.repeat(100_000));
      const { body, release } = buffer.take();
      return { memory: (body as Buffer).buffer, text: body.toString().slice(0, 3), release };
    };
    const first = memoryOf('one');
    const second = memoryOf('two');
    expect(second.memory).not.toBe(first.memory);
    first.release?.();
    memoryOf('six'); // Was begun before the first came back.
    expect(memoryOf('ten')).toMatchObject({ memory: first.memory, text: 'ten' });
  });

  it('keeps sixteen returned memories and drops the others', () => {
    const buffer = new MarkupBuffer();
    const take = () => {
      const { body, release } = buffer.take();
      return { memory: (body as Buffer).buffer, release };
    };
    const lent = Array.from({ length: 40 }, take);
    for (const { release } of lent) release?.();
    const memories = new Set(lent.map(({ memory }) => memory));
    const again = Array.from({ length: 40 }, () => take().memory);
    expect(again.filter((memory) => memories.has(memory))).toHaveLength(16);
  });

  it.each([
    ['a megabyte', 1024 * 1024, true],
    ['more than a megabyte', 1024 * 1024 + 1, false],
  ])('is reused if it is no larger than a megabyte: %s', (_, length, isKept) => {
    const buffer = new MarkupBuffer();
    buffer.markup(encodeMarkup('x'.repeat(length)));
    expect(buffer.take().release !== undefined).toBe(isKept);
  });
});
