import type { Binding } from '../operation';
import type { PublicAddress } from '../public-address';
import type { OperationContract } from '../service-contract';
import { SOAP11, SOAP12 } from '../soap-version';
import { gap, MessageTemplate } from './message-template';
import { responseDocument } from './sample-document';
import { responseEnvelope } from './sample-envelope';
import { sampleRequest } from './sample-request';

/** Where an endpoint is, as the samples name it. */
export interface EndpointAddress extends PublicAddress {
  /** Path of the endpoint, prefix included. */
  readonly path: string;
  /** All of it, as one absolute URL. */
  readonly url: string;
}

/** The whole request over a binding, head and body, in the layout of ASP.NET's help page. */
export function requestMessage(
  binding: Binding,
  operation: OperationContract,
  namespace: string,
  { authority, path }: EndpointAddress,
): MessageTemplate {
  const { method, target, contentType, soapAction, body } = sampleRequest[binding](
    operation,
    namespace,
    'indented',
  );
  const head = [`${method} ${path}${target} HTTP/1.1`, `Host: ${authority}`];
  if (contentType !== undefined)
    head.push(`Content-Type: ${contentType}`, `Content-Length: ${gap('length')}`);
  if (soapAction !== undefined) head.push(`SOAPAction: ${soapAction}`);
  return new MessageTemplate([...head, '', body ?? ''].join('\n').trimEnd());
}

/** The whole answer over a binding, head and body, in the layout of ASP.NET's help page. */
export function responseMessage(
  binding: Binding,
  operation: OperationContract,
  namespace: string,
): MessageTemplate {
  const { contentType, body } = response(binding, operation, namespace);
  if (body === undefined) return new MessageTemplate('HTTP/1.1 200 OK');
  const head = ['HTTP/1.1 200 OK', `Content-Type: ${contentType}`, `Content-Length: ${gap('length')}`];
  return new MessageTemplate([...head, '', body].join('\n'));
}

function response(
  binding: Binding,
  operation: OperationContract,
  namespace: string,
): { readonly contentType: string; readonly body: string | undefined } {
  if (binding === 'get' || binding === 'post') {
    return { contentType: 'text/xml; charset=utf-8', body: responseDocument(operation, namespace) };
  }
  const version = binding === 'soap11' ? SOAP11 : SOAP12;
  return { contentType: version.contentType, body: responseEnvelope(version, operation, namespace) };
}
