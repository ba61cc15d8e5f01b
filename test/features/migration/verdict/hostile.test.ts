import fc from 'fast-check';

import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import { growthOf } from '../../../harness/growth';
import { answer } from './answers';

function list(length: number, item: (at: number) => string): string {
  return `<l>${Array.from({ length }, (_, at) => item(at)).join('')}</l>`;
}

describe('any answer of a server', () => {
  it('is compared without an error', () => {
    const types = [
      'text/xml',
      'text/xml; charset=utf-16',
      'text/html',
      'x; charset=nope',
      '',
      ';;=',
      'text/xml;charset',
    ];
    const codings = ['gzip', 'br', 'deflate', 'identity', 'nope', 'gzip, gzip, gzip', ''];
    const anything = fc.record({
      type: fc.constantFrom(...types),
      coding: fc.constantFrom(...codings),
      start: fc.constantFrom(
        '',
        '<a>',
        '<?xml version="1.0"?>',
        '\u{feff}<',
        '<a b="',
        '<a>&',
        '<!--',
        '<a><![CDATA[',
      ),
      bytes: fc.uint8Array({ maxLength: 60 }),
    });
    const made = anything.map(({ type, coding, start, bytes }) =>
      answer(Buffer.concat([Buffer.from(start), bytes]), [
        ['Content-Type', type],
        ['Content-Encoding', coding],
        ['Set-Cookie', start],
        ['Location', start],
      ]),
    );
    fc.assert(
      fc.property(made, made, (old, ours) => {
        const { level } = compareAnswers(old, ours);
        expect(compareAnswers(ours, old).level).toBe(level);
        expect(compareAnswers(old, old).level).toBe('bytes');
      }),
    );
  });

  it.each([
    ['elements', list(199_999, () => '<i/>'), list(200_000, () => '<i/>')],
    ['depth', `${'<a>'.repeat(200)}${'</a>'.repeat(200)}`, `${'<a>'.repeat(201)}${'</a>'.repeat(201)}`],
  ])('is read as XML up to a limit on its %s', (_, within, beyond) => {
    expect(compareAnswers(answer(within), answer(`${within} `)).level).toBe('xml');
    expect(compareAnswers(answer(beyond), answer(`${beyond} `)).level).toBe('different');
  });

  it('has at most 100 differences, and a note that there are more', () => {
    const verdict = compareAnswers(
      answer(list(300, (at) => `<o${String(at)}/>`)),
      answer(list(300, (at) => `<n${String(at)}/>`)),
    );
    expect(verdict.differences).toHaveLength(101);
    expect(verdict.differences.at(-1)).toEqual({
      part: 'body',
      place: '/',
      what: 'more',
      level: 'different',
    });
  });

  it('leads to places and values of limited length', () => {
    const long = 'n'.repeat(10_000);
    const verdict = compareAnswers(
      answer(`<a><${long}><b>${long}</b></${long}></a>`),
      answer(`<a><${long}><b x="${long}">${long}o</b></${long}></a>`),
    );
    expect(JSON.stringify(verdict).length).toBeLessThan(2500);
  });

  // The items differ in all, in their order, in one of them, and in how many there are.
  it.each([
    ['other items', (at: number) => at + 1e6],
    ['items in a different order', (at: number) => -at],
    ['one more item', (at: number) => at + 1],
    ['one other item', (at: number) => (at === 70 ? -1 : at)],
  ])('takes time in proportion to its length: %s', (_, numberOf) => {
    const item = (at: number) => `<i><k>${String(at)}</k><v>value ${String(at)}</v></i>`;
    const compare = (old: string) => {
      const ours = old.replace(/<i><k>(\d+)<\/k><v>value \d+<\/v><\/i>/g, (__, at: string) =>
        item(numberOf(Number(at))),
      );
      expect(compareAnswers(answer(old), answer(ours)).level).not.toBe('bytes');
    };
    expect(growthOf(compare, (length) => list(length / 40, item), 10_000, 5)).toBeLessThanOrEqual(5);
  });

  it.each([
    ['unclosed CDATA sections', '<![CDATA[&#1;'],
    ['references', '&#1;&#x2;'],
    ['text between elements', 'x<b/>'],
    ['open tags', '<a>'],
    ['blanks', ' x'],
  ])('takes time in proportion to its length: %s', (_, piece) => {
    const compare = (old: string) => {
      expect(compareAnswers(answer(old), answer(`${old}y`)).level).toBe('different');
    };
    const make = (length: number) => `<a>${piece.repeat(length / piece.length)}`;
    expect(growthOf(compare, make, 10_000, 5)).toBeLessThanOrEqual(5);
  });
});
