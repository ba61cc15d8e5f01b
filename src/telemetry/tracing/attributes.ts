import { METHODS } from 'node:http';

import type { Attributes } from '@opentelemetry/api';

import type { Exchange } from '../../asmx';
import type { AttemptFacts, Outcome } from '../../delivery';
import type { PassageEnd, PassedCall } from './tracing';

/** Any other method is a caller's own text. */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS);

type Described = Pick<
  Exchange,
  'method' | 'endpoint' | 'operation' | 'binding' | 'status' | 'outcome' | 'refusal' | 'requestId'
>;

/** Such as `AuthCode soap11`. */
export function spanName({
  endpoint,
  operation,
  binding,
}: PassedCall & { readonly endpoint?: string | undefined }): string {
  return [operation ?? endpoint, binding].filter((part) => part !== undefined).join(' ') || 'request';
}

/**
 * What a span tells of a request, named as OpenTelemetry's conventions do where they have a name. Nothing of it is a
 * caller's text: no address, no query, no argument.
 */
export function exchangeAttributes(exchange: Described): Attributes {
  const { method, endpoint, operation, binding, status, outcome, refusal, requestId } = exchange;
  const isForm = binding === 'get' || binding === 'post';
  const route = endpoint && `/${endpoint}.asmx${isForm && operation !== undefined ? `/${operation}` : ''}`;
  return withoutUndefined({
    ...ofHttp(method, status),
    'http.route': route,
    'rpc.service': endpoint,
    'rpc.method': operation,
    'service.binding': binding,
    'service.outcome': outcome,
    'service.refusal': refusal,
    'service.request_id': requestId,
    'error.type': outcome === 'ok' ? undefined : outcome,
  });
}

/**
 * The same of one that was passed on to another server.
 *
 * @param method - of the request
 */
export function passageAttributes(
  method: string,
  { operation, binding }: PassedCall,
  { outcome, status }: PassageEnd,
): Attributes {
  return withoutUndefined({
    ...ofHttp(method, status),
    'rpc.method': operation,
    'service.binding': binding,
    'service.outcome': outcome,
    'error.type': outcome === 'answered' ? undefined : outcome,
  });
}

function ofHttp(method: string, status: number): Attributes {
  return {
    'http.request.method': KNOWN_METHODS.has(method) ? method : '_OTHER',
    'http.response.status_code': status === 0 ? undefined : status,
  };
}

/**
 * The same of an attempt to deliver.
 *
 * @param outcome - undefined for a defect
 */
export function attemptAttributes(
  { channel, transport, messageId }: AttemptFacts,
  outcome: Outcome | undefined,
): Attributes {
  const kind = outcome?.kind ?? 'defect';
  return withoutUndefined({
    'messaging.operation.type': 'send',
    'messaging.destination.name': channel,
    'messaging.message.id': messageId,
    'service.transport': transport,
    'service.outcome': kind,
    'http.response.status_code': outcome !== undefined && 'status' in outcome ? outcome.status : undefined,
    'error.type': kind === 'sent' ? undefined : kind,
  });
}

function withoutUndefined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
