import type { Answer } from './answer';
import type { ExchangeRecord } from './exchange-record';
import { formFailure } from './form-result';
import { OperationFault, type Binding, type OperationResult } from './operation';
import type { Invocation } from './served-operation';
import { operationFailure } from './soap-fault';
import { SOAP11, SOAP12 } from './soap-version';

/** ASP.NET's words for a request over its executionTimeout. */
export const TIMED_OUT = 'Request timed out.';

const writeFailure: Readonly<Record<Binding, (error: unknown) => Answer>> = {
  soap11: (error) => operationFailure(SOAP11, error),
  soap12: (error) => operationFailure(SOAP12, error),
  get: formFailure,
  post: formFailure,
};

/**
 * Runs an operation and writes its answer in the binding's form, at once where the handler has its result at
 * once. Neither throws nor rejects: what goes wrong becomes the binding's fault and is kept in the record for
 * the log.
 *
 * @param timeoutMs how long the handler may take, in milliseconds
 */
export function invoke(
  invocation: Invocation,
  record: ExchangeRecord,
  timeoutMs: number,
): Answer | Promise<Answer> {
  const { operation, binding, args } = invocation;
  try {
    const returned = operation.invoke[binding](args, record.call(binding));
    if (!(returned instanceof Promise)) return write(invocation, record, returned);
    return withTimeout(returned, timeoutMs).then(
      (result) => write(invocation, record, result),
      (error: unknown) => fail(error, error, binding, record),
    );
  } catch (error) {
    return fail(error, error, binding, record);
  }
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

// What a handler does after its time is its own business: its result is dropped, its error not reported twice.
function withTimeout(running: Promise<OperationResult>, timeoutMs: number): Promise<OperationResult> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(TIMED_OUT));
    }, timeoutMs);
    running.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
}
