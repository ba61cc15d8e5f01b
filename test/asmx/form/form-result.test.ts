// The wire contract, section 2.4: what GET and POST answer where an operation has no result.

import { type OperationContract, RawResponse } from '../../../src/asmx/contract/operation';
import { formResultWriter } from '../../../src/asmx/form';

const OPERATION: OperationContract = {
  ...{ name: 'Op', parameters: [], responseElement: 'OpResponse', result: undefined },
  bindings: new Set(['get', 'post']),
};

describe('the answer of an operation without a result', () => {
  const write = formResultWriter(OPERATION, 'http://tempuri.org/', undefined);

  it('is what the handler wrote, with its type', () => {
    const { status, headers, body } = write(new RawResponse('application/json', '{"a":1}'));
    expect([status, body]).toEqual([200, '{"a":1}']);
    expect(headers[headers.indexOf('Content-Type') + 1]).toBe('application/json');
  });

  it.each([undefined, null, 'text'])('is empty and has no type if the handler returns %s', (result) => {
    const { status, headers, body } = write(result);
    expect([status, body, headers.includes('Content-Type')]).toEqual([200, '', false]);
  });
});
