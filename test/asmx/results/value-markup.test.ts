// The wire contract, sections 2.3 and 2.4: lists and records.

import { element, itemOf, listOf } from '../../harness/contract-types';
import { resultWriter } from '../../../src/asmx/results/result-writer';
import { UnwritableValue } from '../../../src/asmx/results/element-writer';
import type { ElementContract, RecordValue, ValueType } from '../../../src/asmx/contract/values';
import type { OperationResult } from '../../../src/asmx/contract/operation';

/** A writer of answers without white space or declarations. */
function writerOf(result: ElementContract) {
  const markup = {
    start: '',
    end: '',
    name: result.name,
    declarations: { text: '', schemas: '' },
    layout: { indent: '', newline: '' },
    none: 'none',
  };
  const write = resultWriter('Op', result, markup, 'School');
  return (value: OperationResult): string => write(value).body.toString();
}

const write = writerOf(element('l', listOf(itemOf('Item', 'a', 'b', 'c'))));
const written = (...records: readonly (RecordValue | null)[]): string => write(records);

/** Makes the same record with fields that no loop over it finds. */
const hidden = (record: RecordValue): RecordValue =>
  Object.defineProperties(
    {},
    Object.fromEntries(Object.entries(record).map(([name, value]) => [name, { value }])),
  );

describe('the writer of lists', () => {
  it.each<readonly [RecordValue | null, string]>([
    [{ a: '1', b: '2', c: '3' }, '<Item><a>1</a><b>2</b><c>3</c></Item>'],
    [{ a: '1', b: null, c: '3' }, '<Item><a>1</a><c>3</c></Item>'],
    [{ a: '', b: '', c: '' }, '<Item><a /><b /><c /></Item>'],
    [{ a: null, b: '', c: '<3' }, '<Item><b /><c>&lt;3</c></Item>'],
    [{ c: '3' }, '<Item><c>3</c></Item>'],
    [{ a: '1', b: undefined, c: '3' }, '<Item><a>1</a><c>3</c></Item>'],
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

  it('writes records of every kind in any order', () => {
    const values = [null, '', 'v'] as const;
    const records = values.flatMap((a) => values.map((c) => ({ a, c })));
    const all = [null, ...records].flatMap((before) => [null, ...records].map((after) => [before, after]));
    const alone = (record: RecordValue | null): string => written(record).slice('<l>'.length, -'</l>'.length);
    expect(written(...all.flat())).toBe(`<l>${all.flat().map(alone).join('')}</l>`);
  });

  it('writes a frozen list only once, and others as they are now', () => {
    const record = { a: '1' };
    const lists = [Object.freeze([record]), [record]];
    expect(lists.map(write)).toEqual(['<l><Item><a>1</a></Item></l>', '<l><Item><a>1</a></Item></l>']);
    expect(written({ b: 'another answer in the same memory' })).toContain('another');
    record.a = '2';
    expect(lists.map(write)).toEqual(['<l><Item><a>1</a></Item></l>', '<l><Item><a>2</a></Item></l>']);
  });

  it.each([[undefined], [{ a: 'private', b: 7 }]])(
    'throws for %j without affecting the next answer',
    (record) => {
      const wrong = record as unknown as RecordValue; // What TypeScript would refuse.
      expect(() => written({ a: 'private', b: 'b' }, wrong)).toThrow(TypeError);
      expect(written({ a: '1' })).toBe('<l><Item><a>1</a></Item></l>');
    },
  );
});

describe('the writer of records', () => {
  const GRADE: ValueType = { kind: 'enumeration', name: 'Grade', values: ['Low', 'High'] };
  const INNER: ValueType = {
    kind: 'record',
    name: 'Inner',
    attributes: [
      { name: 'x', type: { kind: 'plain', name: 'string' }, optional: true },
      { name: 'y', type: { kind: 'plain', name: 'int' }, optional: true },
    ],
    elements: [],
  };
  const OUTER: ValueType = {
    kind: 'record',
    name: 'Outer',
    attributes: [
      { name: 'n', type: { kind: 'plain', name: 'int' }, optional: false },
      { name: 't', type: { kind: 'plain', name: 'string' }, optional: true },
    ],
    elements: [
      element('inner', INNER),
      element('grade', GRADE),
      element('when', 'int', { nillable: true }),
      element('inners', listOf(element('Inner', INNER, { optional: true, nillable: true }))),
      element('texts', listOf(element('string', 'string', { optional: true }))),
    ],
  };
  const write = writerOf(element('o', OUTER));

  it.each<readonly [RecordValue, string]>([
    [{ n: 1, grade: 'Low', when: null }, '<o n="1"><grade>Low</grade><when xsi:nil="true" /></o>'],
    [
      { n: 1, t: 'a"<&>\n', inner: {}, grade: 'Low', when: 2, inners: [], texts: [] },
      '<o n="1" t="a&quot;&lt;&amp;&gt;\n"><inner /><grade>Low</grade><when>2</when><inners /><texts /></o>',
    ],
    [
      {
        grade: 'High',
        n: 1,
        inner: { x: '' },
        inners: [{}, { x: 'a', y: 2 }, null, { y: 3 }],
        texts: ['', null, 'a'],
      },
      '<o n="1"><inner x="" /><grade>High</grade><when xsi:nil="true" /><inners><Inner /><Inner x="a" y="2" /><Inner xsi:nil="true" /><Inner y="3" /></inners><texts><string /><string>a</string></texts></o>',
    ],
  ])('writes %j', (record, expected) => {
    expect(write(record)).toBe(expected);
  });

  it.each<readonly [OperationResult, string]>([
    [undefined, 'The handler of Op returned no record.'],
    ['text', 'The field o holds no record.'],
    [[], 'The field o holds no record.'],
    [{ n: 1, grade: 1 }, 'The field grade holds no Grade.'],
    [{ n: 1, grade: null }, 'The field grade holds no Grade.'],
    [{ n: 1, grade: 'Low', when: 1.5 }, 'The field when holds no int.'],
    [{ n: null, grade: 'Low' }, 'The field n holds no int.'],
    [{ n: 1, grade: 'Low', texts: 'a' }, 'The field texts holds no list.'],
  ])('throws for %j', (result, message) => {
    expect(() => write(result)).toThrow(new TypeError(message));
  });

  it("reports an unknown enumeration name in .NET's words", () => {
    expect(() => write({ n: 1, grade: 'Mid' })).toThrow('There was an error generating the XML document.');
    const cause = "Instance validation error: 'Mid' is not a valid value for School.Grade.";
    expect(() => write({ n: 1, grade: 'Mid' })).toThrow(new UnwritableValue(cause));
  });

  it('writes an empty element for the empty name of an enumeration', () => {
    const level: ValueType = { kind: 'enumeration', name: 'Level', values: ['', 'High'] };
    const writeLevels = writerOf(element('o', listOf(element('Level', level))));
    expect(writeLevels(['', 'High', ''])).toBe('<o><Level /><Level>High</Level><Level /></o>');
  });
});
