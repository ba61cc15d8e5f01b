// Bodies of answers and receipts: what hostile ones cost, and where values are found.

import { SearchPattern } from '../../../src/config';
import { AnswerBody } from '../../../src/delivery/gateways/answer';
import { growthOf } from '../../harness/growth';

const nested = (depth: number, start: string, end: string): string =>
  `${start.repeat(depth)}1${end.repeat(depth)}`;
/** Separates growth with the length, near 1, from growth with its square, near 16. */
const MAX_RATIO = 5;

describe('XML', () => {
  const ENVELOPE = `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" xmlns:x="urn:x">
  <soap:Body><!-- one --><sendResponse xmlns="urn:s"><x:id x:kind="n" code='0'> 7<![CDATA[&]]>&amp;<b>8</b></x:id></sendResponse></soap:Body>
</soap:Envelope>`;

  it.each([
    ['Body/sendResponse/id', '7&&8'],
    ['soap:Body/sendResponse/x:id', '7&&8'],
    ['soap:Body/sendResponse/id/b', '8'],
    ['Body/sendResponse/id/@kind', 'n'],
    ['Body/sendResponse/id/@x:kind', 'n'],
    ['Body/sendResponse/x:id/@code', '0'],
    ['y:Body/sendResponse/id', undefined],
    ['Body/sendResponse/id/@y:kind', undefined],
    ['Body/sendResponse/none', undefined],
  ])('is found at %s, with the prefix or without it', (xml, expected) => {
    expect(new AnswerBody(ENVELOPE).find([{ xml }])).toBe(expected);
  });

  it('may use a prefix that it does not declare', () => {
    expect(new AnswerBody('<s:a><s:b>1</s:b></s:a>').find([{ xml: 's:b' }])).toBe('1');
  });

  it('has no value where it is malformed', () => {
    const bodies = ['<a><b>1</b>', '<a><b>1</c></a>', '<a/><b>1</b>', '', 'text', '<a>&other;</a>'];
    for (const text of bodies) {
      const body = new AnswerBody(text);
      expect([body.find([{ xml: 'b' }]), body.isTooComplex]).toEqual([undefined, false]);
    }
  });

  it('has a list whose members are read in their place', () => {
    const body = new AnswerBody('<r>\n <s\r\n id="1"><t>a</t></s><p:s id="2"/><s>\n<t>c</t></s></r>');
    const members = body.members({ xml: 's' });
    const all = members.map((each) => [
      each.find([{ xml: '@id' }]),
      each.find([{ xml: 't' }]),
      each.find([{ pattern: new SearchPattern('(?<all>.*)') }]),
    ]);
    expect(all).toEqual([
      ['1', 'a', '<s\r\n id="1"><t>a</t></s>'],
      ['2', undefined, '<p:s id="2"/>'],
      [undefined, 'c', '<s>\n<t>c</t></s>'],
    ]);
  });

  it.each([
    ['64 levels', nested(64, '<a>', '</a>'), false],
    ['65 levels', nested(65, '<a>', '</a>'), true],
    ['levels that are never closed', '<a>'.repeat(20_000), true],
    [
      '100 attributes',
      `<a ${Array.from({ length: 100 }, (_, at) => `a${String(at)}=""`).join(' ')}/>`,
      false,
    ],
    ['101 attributes', `<a ${Array.from({ length: 101 }, (_, at) => `a${String(at)}=""`).join(' ')}/>`, true],
    ['20,000 elements', `<a>${'<b/>'.repeat(19_999)}</a>`, false],
    ['20,001 elements', `<a>${'<b/>'.repeat(20_000)}</a>`, true],
  ])('of %s is within its limits or not', (_what, text, expected) => {
    const body = new AnswerBody(text);
    body.find([{ xml: 'none' }]);
    expect(body.isTooComplex).toBe(expected);
  });

  it.each([
    ['members of a list', (length: number) => `<a>${'<b>1</b>'.repeat(length)}</a>`],
    ['elements in one member', (length: number) => `<a><b>${'<c/>'.repeat(length)}</b></a>`],
    ['references', (length: number) => `<a><b>${'&#65;'.repeat(length)}</b></a>`],
    ['texts between elements', (length: number) => `<a>${'x<b/>'.repeat(length)}</a>`],
  ])('takes time in proportion to its %s', (_what, make) => {
    const read = (text: string): void => {
      const members = new AnswerBody(text).members({ xml: 'b' });
      expect(members.map((each) => each.find([{ xml: 'c' }]))).not.toContain('1');
    };
    expect(growthOf(read, make, 500, MAX_RATIO)).toBeLessThan(MAX_RATIO);
  });
});

describe('JSON', () => {
  it.each([
    ['64 lists', nested(64, '[', ']'), false],
    ['65 lists', nested(65, '[', ']'), true],
    ['30,000 lists', nested(30_000, '[', ']'), true],
    ['65 objects', nested(65, '{"a":', '}'), true],
    ['30,000 lists that are not closed', '['.repeat(30_000), false],
    ['brackets in a text', JSON.stringify(['['.repeat(100)]), false],
  ])('of %s is within its limits or not', (_what, text, expected) => {
    const body = new AnswerBody(text);
    expect(body.find([{ json: '/a/b' }])).toBeUndefined();
    expect(body.isTooComplex).toBe(expected);
  });

  it('has a list whose members keep their values', () => {
    const members = new AnswerBody('[{"a":"1"},"é",7,null,[{"b":true}]]').members({ json: '' });
    expect(members.map((each) => each.find([{ json: '/a' }, { json: '' }, { json: '/0/b' }]))).toEqual([
      ...['1', 'é', '7', undefined, 'true'],
    ]);
  });
});

describe('a list that a pattern finds', () => {
  const pattern = (source: string): { readonly pattern: SearchPattern } => ({
    pattern: new SearchPattern(source),
  });

  it('has up to 1,000 members in 64 KB', () => {
    const lines = Array.from({ length: 1300 }, (_, at) => `id=${String(at)};status=delivered;at=10:00:00\n`);
    const members = new AnswerBody(lines.join('')).members(pattern('(?<line>id=.*?)\\n'));
    expect(members).toHaveLength(1000);
    expect(members.at(-1)?.find([pattern('id=(?<id>\\d+)')])).toBe('999');
  });

  it('is refused if each search reads the whole rest', () => {
    const body = new AnswerBody('a'.repeat(64 * 1024));
    expect(body.members(pattern('(?<value>a.*z|a)'))).toEqual([]);
    expect(body.isTooComplex).toBe(true);
  });
});
