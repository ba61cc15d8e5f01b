import { type Binding, OperationFault, type OperationResult } from './contract';
import type { Deadlines } from './deadlines';
import type { OpenExchange } from './exchange';
import { formFailure } from './form';
import type { HttpResponse } from './http';
import { type Invocation, UnwritableValue } from './results';
import { operationFailure, SOAP11, SOAP12 } from './soap';

/** ASP.NET's words for a request over its executionTimeout. */
const TIMED_OUT = 'Request timed out.';

const writeFailure: Readonly<Record<Binding, (error: unknown) => HttpResponse>> = {
  soap11: (error) => operationFailure(SOAP11, error),
  soap12: (error) => operationFailure(SOAP12, error),
  get: formFailure,
  post: formFailure,
};

/**
 * Runs an operation and responds in the binding's form. What goes wrong becomes the binding's fault and is kept in
 * the exchange for the log.
 *
 * @param deadlines how long the handler may take
 */
export async function invoke(
  invocation: Invocation,
  exchange: OpenExchange,
  deadlines: Deadlines,
): Promise<void> {
  const { operation, binding, args } = invocation;
  exchange.record.operation = operation.contract.name;
  exchange.record.binding = binding;
  // What a handler does after its time is its own business: its result is dropped, its error not reported twice.
  const deadline = deadlines.begin(() => {
    const error = new Error(TIMED_OUT);
    fail(exchange, binding, error, error);
  });
  let result: OperationResult;
  try {
    result = await operation.invoke[binding](args, exchange.record.call(binding));
  } catch (error) {
    if (deadlines.end(deadline)) fail(exchange, binding, error, error);
    return;
  }
  if (deadlines.end(deadline)) finish(exchange, invocation, result);
}

function finish(exchange: OpenExchange, { operation, binding }: Invocation, result: OperationResult): void {
  let response: HttpResponse;
  try {
    response = operation.writeResult[binding](result);
  } catch (error) {
    // A result that the contract does not know is a mistake in the program; what .NET would show of it is shown.
    fail(exchange, binding, error, error instanceof UnwritableValue ? error : undefined);
    return;
  }
  exchange.respond(response);
}

/** @param shown what the caller sees of it */
function fail(exchange: OpenExchange, binding: Binding, error: unknown, shown: unknown): void {
  exchange.record.error = error;
  exchange.record.outcome =
    error instanceof OperationFault && error.code === 'Client' ? 'client_error' : 'server_error';
  exchange.respond(writeFailure[binding](shown));
}
