import { MarkupBuffer } from '../../src/asmx/markup-buffer';
import { escapeText } from '../../src/asmx/xml-text';

/** What the contract says of text: escaped, then encoded. */
const expected = (text: string): string => Buffer.from(escapeText(text)).toString('hex');

const common = new MarkupBuffer();

function written(text: string): Buffer {
  common.text(text);
  return common.take();
}

describe('the memory in which long answers are put together', () => {
  it('encodes and escapes each UTF-16 code unit as the writer of short answers does', () => {
    for (let code = 0; code <= 0xffff; code += 1) {
      const text = `a${String.fromCharCode(code)}é`;
      if (written(text).toString('hex') !== expected(text)) throw new Error(`U+${code.toString(16)}`);
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

  it('grows, keeps what it holds, and begins anew', () => {
    const buffer = new MarkupBuffer();
    const long = 'ö<'.repeat(3_000_000);
    buffer.markup(Buffer.from('<a>'));
    buffer.text(long);
    buffer.markup(Buffer.from('</a>'));
    const answer = buffer.take();
    expect(answer.equals(Buffer.from(`<a>${escapeText(long)}</a>`))).toBe(true);

    buffer.text('short');
    expect(buffer.take().toString()).toBe('short');
    expect(answer.length).toBe(3_000_000 * 6 + 7);
  });

  it('gives answers that do not change when the next is written', () => {
    const buffer = new MarkupBuffer();
    buffer.text('first');
    const first = buffer.take();
    buffer.text('other');
    buffer.take();
    expect(first.toString()).toBe('first');
  });
});
