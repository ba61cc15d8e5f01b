import type { AttemptedCall, Binding } from './contract/operation';
import { errorPage, serverErrorPage } from './documents/pages/error-page';
import type { AccessDecision, Authorizer, OpenExchange, Refusal } from './exchange';
import type { HttpResponse } from './http/response';
import type { Invocation } from './served-operation';
import { refusedCall, SOAP11, SOAP12 } from './soap/soap-fault';

/** Refusal of a call that a browser sends on behalf of another site's page. */
export const FOREIGN_PAGE: Refusal = {
  status: 403,
  headers: [],
  message: 'A page of another site may not call this operation.',
  reason: 'foreign-page',
  caller: undefined,
};

/**
 * Asks the authorizer and continues with an admitted caller. A refused one is answered before its body is
 * read.
 */
export function authorizeCall(
  authorizer: Authorizer,
  exchange: OpenExchange,
  call: AttemptedCall,
  goOn: () => void,
): void {
  const verdict = authorizer.admit(exchange.request, call);
  if (!(verdict instanceof Promise)) follow(verdict, exchange, call, goOn);
  else {
    verdict.then(
      (found) => follow(found, exchange, call, goOn),
      (error: unknown) => exchange.fail(error, serverErrorPage),
    );
  }
}

function follow(
  verdict: AccessDecision,
  exchange: OpenExchange,
  call: AttemptedCall,
  goOn: () => void,
): void {
  if ('status' in verdict) {
    refuseUnread(exchange, verdict, call);
  } else if (exchange.response.destroyed) exchange.record.end(0);
  else {
    exchange.admission = verdict;
    exchange.record.caller = verdict.caller;
    goOn();
  }
}

/** Answers a call before its body is read. */
export function refuseUnread(
  exchange: OpenExchange,
  refusal: Refusal,
  { operation, bindings: [binding] }: AttemptedCall,
): void {
  exchange.record.operation = operation;
  exchange.record.binding = binding;
  exchange.record.refusal = refusal.reason;
  exchange.record.caller = refusal.caller;
  if (exchange.request.method === 'POST') exchange.refuse(write[binding](refusal));
  else exchange.respond(write[binding](refusal));
}

/** Returns the refusal of a fully read call that the authorizer admitted by its head, or undefined. */
export function findRefusal(
  exchange: OpenExchange,
  { operation, binding, args }: Invocation,
): HttpResponse | undefined {
  const { name } = operation.contract;
  const refusal = exchange.admission?.authorize(name, binding, args);
  if (refusal === undefined) return undefined;
  exchange.record.operation = name;
  exchange.record.binding = binding;
  exchange.record.refusal = refusal.reason;
  return write[binding](refusal);
}

const write: Readonly<Record<Binding, (refusal: Refusal) => HttpResponse>> = {
  soap11: (refusal) => refusedCall(SOAP11, refusal),
  soap12: (refusal) => refusedCall(SOAP12, refusal),
  get: refusedPage,
  post: refusedPage,
};

function refusedPage({ status, headers, message }: Refusal): HttpResponse {
  const page = errorPage(status, message);
  return { ...page, headers: [...page.headers, ...headers] };
}
