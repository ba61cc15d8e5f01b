// The wire contract, section 2.3: what a handler may return; and step 7 of section 3: the messages of what it throws.

import { RawResponse } from '../../../src/asmx/contract';
import { errorMessages, requireList, requireString } from '../../../src/asmx/results/handler-result';
import { listWriter } from '../../../src/asmx/results/list-markup';

const RAW = new RawResponse('text/plain', 'x');

describe('what a handler returns', () => {
  it('is taken where it is what the contract says, or null', () => {
    expect([requireString('Op', 'a'), requireString('Op', ''), requireString('Op', null)]).toEqual([
      'a',
      '',
      null,
    ]);
    expect([requireList('Op', [null]), requireList('Op', null)]).toEqual([[null], null]);
  });

  it('is refused where it is not, by the name of the operation', () => {
    for (const result of [undefined, [], RAW]) {
      expect(() => requireString('Op', result)).toThrow(
        new TypeError('The handler of Op returned no string.'),
      );
    }
    for (const result of [undefined, 'a', RAW]) {
      expect(() => requireList('Op', result)).toThrow(new TypeError('The handler of Op returned no list.'));
    }
  });

  it('is refused where a field of a record is no string, by the name of the field', () => {
    const write = listWriter('Item', ['a'], { itemIndent: '', fieldIndent: '', newline: '' }, '', '');
    const record = { a: 1 } as unknown as Record<string, string>; // What untyped code may return.
    expect(() => write([record])).toThrow(new TypeError('The field a holds no string.'));
  });
});

describe('what a handler throws', () => {
  it('is told by its messages and those of its causes, outermost first', () => {
    const cause = new Error('inner', { cause: 'no error' });
    expect(errorMessages(new Error('outer', { cause }))).toEqual(['outer', 'inner']);
  });

  it('is told by sixteen messages where its causes are a circle', () => {
    const error = new Error('again');
    error.cause = error;
    expect(errorMessages(error)).toEqual(Array.from({ length: 16 }, () => 'again'));
  });

  it.each(['text', undefined, null])('is told by a text of ours where it is no error: %s', (thrown) => {
    expect(errorMessages(thrown)).toEqual(['An error occurred on the server.']);
  });
});
