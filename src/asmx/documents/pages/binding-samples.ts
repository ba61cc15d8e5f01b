import { type Binding, type OperationContract, soapAction } from '../../contract';
import { SOAP11, SOAP12, type SoapVersion } from '../../soap';
import type { EndpointAddress } from './endpoint-address';
import { gap, MessageTemplate } from './message-template';
import {
  placeholderOf,
  requestEnvelope,
  responseDocument,
  responseEnvelope,
  SAMPLE_ITEMS,
} from './sample-bodies';

export const bindingTitle: Readonly<Record<Binding, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  get: 'HTTP GET',
  post: 'HTTP POST',
};

/** How an operation is called over one binding and what it answers, as marked text with gaps. */
export interface BindingSample {
  readonly binding: Binding;
  readonly method: 'GET' | 'POST';
  /** What follows the endpoint's path: empty, or `/Op` with its query. */
  readonly target: string;
  /** Undefined for a request without a body. */
  readonly contentType: string | undefined;
  /** Value of the SOAPAction header, with its quotes; undefined without the header. */
  readonly soapAction: string | undefined;
  /** Undefined for a request without a body. */
  readonly body: SampleBody | undefined;
  /** Undefined for an answer without a body. */
  readonly response: { readonly contentType: string; readonly body: string } | undefined;
}

export interface SampleBody {
  /** As ASP.NET's help page shows it. */
  readonly indented: string;
  /** The same without the line ends between elements, for a command line. */
  readonly inOneLine: string;
}

type WriteSample = (operation: OperationContract, namespace: string) => BindingSample;

// In the order of ASP.NET's help page.
const WRITERS: Readonly<Record<Binding, WriteSample>> = {
  soap11: (operation, namespace) => ({
    ...soapSample(SOAP11, operation, namespace),
    soapAction: `"${soapAction(namespace, operation.name)}"`,
  }),
  soap12: (operation, namespace) => soapSample(SOAP12, operation, namespace),
  get: (operation, namespace) => ({
    binding: 'get',
    method: 'GET',
    // The question mark stands there for an operation without parameters too.
    target: `/${operation.name}?${pairs(operation)}`,
    contentType: undefined,
    soapAction: undefined,
    body: undefined,
    response: documentResponse(operation, namespace),
  }),
  post: (operation, namespace) => ({
    binding: 'post',
    method: 'POST',
    target: `/${operation.name}`,
    contentType: 'application/x-www-form-urlencoded',
    soapAction: undefined,
    body: { indented: pairs(operation), inOneLine: pairs(operation) },
    response: documentResponse(operation, namespace),
  }),
};

/** Samples of every binding that offers an operation; making them takes milliseconds, so they are kept. */
export function bindingSamples(operation: OperationContract, namespace: string): readonly BindingSample[] {
  return Object.values(WRITERS)
    .map((write) => write(operation, namespace))
    .filter(({ binding }) => operation.bindings.has(binding));
}

function soapSample(version: SoapVersion, operation: OperationContract, namespace: string): BindingSample {
  const { contentType } = version;
  return {
    binding: version.binding,
    method: 'POST',
    target: '',
    contentType,
    soapAction: undefined,
    body: {
      indented: requestEnvelope(version, operation, namespace, 'indented'),
      inOneLine: requestEnvelope(version, operation, namespace, 'line'),
    },
    response: { contentType, body: responseEnvelope(version, operation, namespace) },
  };
}

function documentResponse(operation: OperationContract, namespace: string): BindingSample['response'] {
  const body = responseDocument(operation, namespace);
  return body === undefined ? undefined : { contentType: 'text/xml; charset=utf-8', body };
}

/** A list is its items, each by the name of the parameter; bytes are a list of numbers there. */
function pairs({ parameters }: OperationContract): string {
  const samples = parameters.flatMap(({ name, type }) => {
    if (type.kind === 'list')
      return Array<string>(SAMPLE_ITEMS).fill(`${name}=${gap(placeholderOf(type.item.type))}`);
    if (type.name === 'base64Binary')
      return Array<string>(SAMPLE_ITEMS).fill(`${name}=${gap('unsignedByte')}`);
    return [`${name}=${gap(placeholderOf(type), name)}`];
  });
  return samples.join('&');
}

/** A whole sample request, head and body, in the layout of ASP.NET's help page. */
export function requestMessage(
  { method, target, contentType, soapAction, body }: BindingSample,
  { authority, path }: EndpointAddress,
): MessageTemplate {
  const head = [`${method} ${path}${target} HTTP/1.1`, `Host: ${authority}`];
  if (contentType !== undefined) head.push(...bodyHeaders(contentType));
  if (soapAction !== undefined) head.push(`SOAPAction: ${soapAction}`);
  return new MessageTemplate([...head, '', body?.indented ?? ''].join('\n').trimEnd());
}

/** A whole sample answer, head and body, in the layout of ASP.NET's help page. */
export function responseMessage({ response }: BindingSample): MessageTemplate {
  const head = ['HTTP/1.1 200 OK'];
  if (response !== undefined) head.push(...bodyHeaders(response.contentType), '', response.body);
  return new MessageTemplate(head.join('\n'));
}

function bodyHeaders(contentType: string): readonly string[] {
  return [`Content-Type: ${contentType}`, `Content-Length: ${gap('length')}`];
}
