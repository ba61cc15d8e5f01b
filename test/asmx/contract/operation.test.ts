// The wire contract, section 3, step 7: the words of a fault are the handler’s, its cause is for logs alone.

import { OperationFault } from '../../../src/asmx/contract/operation';

describe('the fault of an operation', () => {
  it('has the name shown in logs, and a cause shown only in logs', () => {
    const cause = new Error('inner');
    const fault = new OperationFault('Client', 'text', { cause });
    expect([String(fault), fault.cause, fault.actor, fault.detail]).toEqual([
      ...['OperationFault: text', cause, undefined, undefined],
    ]);
  });
});
