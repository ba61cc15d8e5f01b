import type { Binding } from '../operation';
import type { OperationContract } from '../service-contract';
import { soapAction } from '../service-description';
import { SOAP11, SOAP12, type SoapVersion } from '../soap-version';
import { gap } from './message-template';
import { requestEnvelope, type Layout } from './sample-envelope';

/** A request that calls an operation, with gaps for the values. */
export interface SampleRequest {
  readonly method: 'GET' | 'POST';
  /** What follows the endpoint's path: empty, or `/Op` with its query. */
  readonly target: string;
  /** Undefined where there is no body. */
  readonly contentType: string | undefined;
  /** Value of the SOAPAction header, with its quotes; undefined without the header. */
  readonly soapAction: string | undefined;
  readonly body: string | undefined;
}

type WriteRequest = (operation: OperationContract, namespace: string, layout: Layout) => SampleRequest;

/** How an operation is called over each binding, as ASP.NET's help page shows it. */
export const sampleRequest: Readonly<Record<Binding, WriteRequest>> = {
  soap11: (operation, namespace, layout) => ({
    ...soapRequest(SOAP11, operation, namespace, layout),
    soapAction: `"${soapAction(namespace, operation.name)}"`,
  }),
  soap12: (operation, namespace, layout) => soapRequest(SOAP12, operation, namespace, layout),
  get: (operation) => ({
    method: 'GET',
    // The question mark stands there for an operation without parameters too.
    target: `/${operation.name}?${pairs(operation)}`,
    contentType: undefined,
    soapAction: undefined,
    body: undefined,
  }),
  post: (operation) => ({
    method: 'POST',
    target: `/${operation.name}`,
    contentType: 'application/x-www-form-urlencoded',
    soapAction: undefined,
    body: pairs(operation),
  }),
};

function soapRequest(
  version: SoapVersion,
  operation: OperationContract,
  namespace: string,
  layout: Layout,
): SampleRequest {
  return {
    method: 'POST',
    target: '',
    contentType: version.contentType,
    soapAction: undefined,
    body: requestEnvelope(version, operation, namespace, layout),
  };
}

function pairs({ parameters }: OperationContract): string {
  return parameters.map(({ name, type }) => `${name}=${gap(type, name)}`).join('&');
}
