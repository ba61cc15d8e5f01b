// The wire contract, sections 2.3 and 2.4: lists.

import { listWriter } from '../../../src/asmx/results/list-markup';
import type { ResultRecord } from '../../../src/asmx/contract/operation';

const write = listWriter(
  'Item',
  ['a', 'b', 'c'],
  { itemIndent: '', fieldIndent: '', newline: '' },
  '<l>',
  '</l>',
);
const written = (...records: readonly (ResultRecord | null)[]): string => write(records).body.toString();

/** The same record with fields that no loop over it finds. */
const hidden = (record: ResultRecord): ResultRecord =>
  Object.defineProperties(
    {},
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, { value }])),
  );

describe('the writer of lists', () => {
  it.each<readonly [ResultRecord | null, string]>([
    [{ a: '1', b: '2', c: '3' }, '<Item><a>1</a><b>2</b><c>3</c></Item>'],
    [{ a: '1', b: null, c: '3' }, '<Item><a>1</a><c>3</c></Item>'],
    [{ a: '', b: '', c: '' }, '<Item><a /><b /><c /></Item>'],
    [{ a: null, b: '', c: '<3' }, '<Item><b /><c>&lt;3</c></Item>'],
    [{ c: '3' }, '<Item><c>3</c></Item>'],
    [{ a: '1', b: undefined, c: '3' } as unknown as ResultRecord, '<Item><a>1</a><c>3</c></Item>'],
    [{ c: '3', b: '2', a: '1' }, '<Item><a>1</a><b>2</b><c>3</c></Item>'],
    [{ a: '1', c: '3', b: '' }, '<Item><a>1</a><b /><c>3</c></Item>'],
    [{ a: '1', z: 'unknown', c: '3' }, '<Item><a>1</a><c>3</c></Item>'],
    [{ a: '1', b: '2', c: '3', z: 'unknown' }, '<Item><a>1</a><b>2</b><c>3</c></Item>'],
    [hidden({ a: '1', c: '3' }), '<Item><a>1</a><c>3</c></Item>'],
    [{ a: null, b: null, c: null }, '<Item />'],
    [{}, '<Item />'],
    [null, '<Item xsi:nil="true" />'],
  ])('writes %j', (record, expected) => {
    expect(written(record)).toBe(`<l>${expected}</l>`);
    expect(written(record, record)).toBe(`<l>${expected}${expected}</l>`);
  });

  it('writes records of every kind after each other', () => {
    const values = [null, '', 'v'] as const;
    const records = values.flatMap((a) => values.map((c) => ({ a, c })));
    const all = [null, ...records].flatMap((before) => [null, ...records].map((after) => [before, after]));
    const alone = (record: ResultRecord | null): string =>
      written(record).slice('<l>'.length, -'</l>'.length);
    expect(written(...all.flat())).toBe(`<l>${all.flat().map(alone).join('')}</l>`);
  });

  it.each([[undefined], [{ a: 'private', b: 7 }]])(
    'throws for %j, and the next answer knows nothing of it',
    (record) => {
      const wrong = record as unknown as ResultRecord; // What TypeScript would refuse.
      expect(() => written({ a: 'private', b: 'b' }, wrong)).toThrow(TypeError);
      expect(written({ a: '1' })).toBe('<l><Item><a>1</a></Item></l>');
    },
  );
});
