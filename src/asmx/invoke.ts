import type { Answer } from './http';
import type { Deadlines } from './deadlines';
import type { ExchangeRecord } from './exchange';
import { formFailure } from './form';
import { type Binding, OperationFault, type OperationResult } from './contract';
import type { Invocation } from './results';
import { operationFailure, SOAP11, SOAP12 } from './soap';

/** ASP.NET's words for a request over its executionTimeout. */
export const TIMED_OUT = 'Request timed out.';

const writeFailure: Readonly<Record<Binding, (error: unknown) => Answer>> = {
  soap11: (error) => operationFailure(SOAP11, error),
  soap12: (error) => operationFailure(SOAP12, error),
  get: formFailure,
  post: formFailure,
};

/**
 * Runs an operation and writes its answer in the binding's form. What goes wrong becomes the binding's fault and
 * is kept in the record for the log.
 *
 * @param deadlines how long the handler may take
 * @param done called once: before this returns where the handler has its result at once
 */
export function invoke(
  invocation: Invocation,
  record: ExchangeRecord,
  deadlines: Deadlines,
  done: (answer: Answer) => void,
): void {
  const { operation, binding, args } = invocation;
  const failed = (error: unknown): void => {
    done(fail(error, error, binding, record));
  };
  let returned: OperationResult | Promise<OperationResult>;
  try {
    returned = operation.invoke[binding](args, record.call(binding));
  } catch (error) {
    failed(error);
    return;
  }
  if (!(returned instanceof Promise)) {
    done(write(invocation, record, returned));
    return;
  }
  // What a handler does after its time is its own business: its result is dropped, its error not reported twice.
  const deadline = deadlines.begin(() => {
    failed(new Error(TIMED_OUT));
  });
  returned.then(
    (result) => {
      if (deadlines.end(deadline)) done(write(invocation, record, result));
    },
    (error: unknown) => {
      if (deadlines.end(deadline)) failed(error);
    },
  );
}

function write({ operation, binding }: Invocation, record: ExchangeRecord, result: OperationResult): Answer {
  try {
    return operation.writeResult[binding](result);
  } catch (error) {
    // A result that the contract does not know is a mistake in the program, nothing to show to a caller.
    return fail(error, undefined, binding, record);
  }
}

function fail(error: unknown, shown: unknown, binding: Binding, record: ExchangeRecord): Answer {
  record.error = error;
  record.outcome =
    error instanceof OperationFault && error.code === 'Client' ? 'client_error' : 'server_error';
  return writeFailure[binding](shown);
}
