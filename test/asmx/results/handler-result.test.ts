// The wire contract, section 3, step 7: the messages of what a handler throws.

import { errorMessages } from '../../../src/asmx/results/result-writer';

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
