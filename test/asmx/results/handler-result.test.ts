// The wire contract, section 3, step 7: the messages of what a handler throws.

import { errorMessages } from '../../../src/asmx/error-messages';

describe('an error thrown by a handler', () => {
  it('is described by its messages and those of its causes, outermost first', () => {
    const cause = new Error('inner', { cause: 'no error' });
    expect(errorMessages(new Error('outer', { cause }))).toEqual(['outer', 'inner']);
  });

  it('is described by sixteen messages if its causes are circular', () => {
    const error = new Error('again');
    error.cause = error;
    expect(errorMessages(error)).toEqual(Array.from({ length: 16 }, () => 'again'));
  });

  it.each(['text', undefined, null])('is described by a fixed text if it is not an Error: %s', (thrown) => {
    expect(errorMessages(thrown)).toEqual(['An error occurred on the server.']);
  });
});
