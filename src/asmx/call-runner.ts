import { findRefusal } from './authorizer';
import { type Binding, OperationFault, type OperationResult } from './contract/operation';
import { Deadlines } from './deadlines';
import { contentTypeTooLongPage, serverErrorPage } from './documents/pages/error-page';
import type { OpenExchange } from './exchange';
import { formFailure } from './form';
import { createBodyReader, EMPTY_BODY, type ReadBody } from './http/request-body';
import type { HttpResponse } from './http/response';
import type { AsmxLimits, Bound } from './limits';
import { UnwritableValue } from './results/element-writer';
import type { Invocation, ReadOutcome, UnreadCall } from './served-operation';
import { operationFailure, SOAP11, SOAP12 } from './soap/soap-fault';

/** ASP.NET's words for a request over its executionTimeout. */
const TIMED_OUT = 'Request timed out.';

const writeFailure: Readonly<Record<Binding, (error: unknown) => HttpResponse>> = {
  soap11: (error) => operationFailure(SOAP11, error),
  soap12: (error) => operationFailure(SOAP12, error),
  get: formFailure,
  post: formFailure,
};

/**
 * Runs an operation and responds in the binding's form. An error becomes the binding's fault and is kept in
 * the exchange for the log.
 *
 * @param deadlines time limit for the handler
 */
function invoke(invocation: Invocation, exchange: OpenExchange, deadlines: Deadlines): void {
  const { operation, binding, args } = invocation;
  exchange.record.operation = operation.contract.name;
  exchange.record.binding = binding;
  // After a timeout the handler's result is dropped, and its error is not reported a second time.
  const deadline = deadlines.begin(() => {
    const error = new Error(TIMED_OUT);
    fail(exchange, binding, error, error);
  });
  const onError = (error: unknown): void => {
    if (deadlines.end(deadline)) fail(exchange, binding, error, error);
  };
  let running: Promise<OperationResult>;
  try {
    running = operation.invoke[binding](args, exchange.record.call(binding));
  } catch (error) {
    onError(error);
    return;
  }
  // An async function would cost a generator and another promise for each call.
  running.then((result) => {
    if (deadlines.end(deadline)) finish(exchange, invocation, result);
  }, onError);
}

function finish(exchange: OpenExchange, { operation, binding }: Invocation, result: OperationResult): void {
  let response: HttpResponse;
  try {
    response = operation.writeResult[binding](result);
  } catch (error) {
    // A result that does not fit the contract is a bug in the program; the caller sees what .NET would show.
    fail(exchange, binding, error, error instanceof UnwritableValue ? error : undefined);
    return;
  }
  exchange.respond(response);
}

/** @param shown the error as the caller may see it */
function fail(exchange: OpenExchange, binding: Binding, error: unknown, shown: unknown): void {
  exchange.record.error = error;
  exchange.record.outcome =
    error instanceof OperationFault && error.code === 'Client' ? 'client_error' : 'server_error';
  exchange.respond(writeFailure[binding](shown));
}

/** Handles admitted calls. */
export class CallRunner {
  readonly #limits: AsmxLimits;
  readonly #readBody: ReadBody;
  readonly #deadlines: Deadlines;

  constructor(limits: AsmxLimits, onBound: (bound: Bound) => void) {
    this.#limits = limits;
    this.#readBody = createBodyReader(limits, () => onBound('bodies'));
    this.#deadlines = new Deadlines(limits.handlerMilliseconds);
  }

  run(exchange: OpenExchange, call: UnreadCall): void {
    const { request } = exchange;
    if (request.method !== 'POST') {
      this.#readAndProceed(exchange, call, EMPTY_BODY);
      return;
    }
    if ((request.headers['content-type']?.length ?? 0) > this.#limits.contentTypeCharacters) {
      exchange.refuse(contentTypeTooLongPage);
      return;
    }
    this.#readBody(request, exchange.response, (outcome) => {
      if (outcome === 'aborted') exchange.record.end(0);
      else if (typeof outcome === 'string') exchange.refuse(call.refuse(outcome));
      else this.#readAndProceed(exchange, call, outcome);
    });
  }

  // Nothing catches errors above a body's last event: they would end the process.
  #readAndProceed(exchange: OpenExchange, call: UnreadCall, body: Buffer): void {
    let read: ReadOutcome;
    try {
      read = call.read(body);
    } catch (error) {
      exchange.fail(error, serverErrorPage);
      return;
    }
    if ('response' in read) {
      exchange.respond(read.response);
      return;
    }
    const refusal = findRefusal(exchange, read.invocation);
    if (refusal === undefined) invoke(read.invocation, exchange, this.#deadlines);
    else exchange.respond(refusal);
  }
}
