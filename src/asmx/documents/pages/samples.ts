import { create } from 'xmlbuilder2';

import { soapAction } from '../../contract/contract-reader';
import type { Binding, OperationContract } from '../../contract/operation';
import type { ElementContract, ValueType } from '../../contract/values';
import { SOAP11, SOAP12, type SoapVersion } from '../../soap/soap-fault';
import { literalText } from '../../xml/xml-characters';
import type { EndpointAddress } from './page';

export interface Gap {
  /** ASP.NET's placeholder word. */
  readonly placeholder: string;
  /** Name of the parameter to fill in; undefined in answers and for the length. */
  readonly parameter: string | undefined;
}

// A private-use character: names and namespaces of a service description never contain it.
const GAP_EDGE = '\uE000';

/** Writes a gap into the text of a {@link MessageTemplate}. */
export function gap(placeholder: Gap['placeholder'], parameter = ''): string {
  return [GAP_EDGE, placeholder, ' ', parameter, GAP_EDGE].join('');
}

export class MessageTemplate {
  readonly parts: readonly (string | Gap)[];

  /** @param marked text with gaps as {@link gap} writes them */
  constructor(marked: string) {
    this.parts = marked
      .split(GAP_EDGE)
      .map((part, index) => (index % 2 === 0 ? part : readGap(part)))
      .filter((part) => part !== '');
  }

  fill(valueOf: (gap: Gap) => string): string {
    return this.parts.map((part) => (typeof part === 'string' ? part : valueOf(part))).join('');
  }
}

function readGap(text: string): Gap {
  // A placeholder may contain blanks (`Low or Middle or High`), an XML name does not.
  const end = text.lastIndexOf(' ');
  const parameter = text.slice(end + 1);
  return { placeholder: text.slice(0, end), parameter: parameter === '' ? undefined : parameter };
}

type Element = ReturnType<typeof create>;

// ASP.NET's help page shows this many items, enough to show the repetition.
const SAMPLE_ITEMS = 2;
// Nesting depth of records and lists on ASP.NET's help page; deeper ones are shown as null.
const DEPTH = 4;
const INSTANCE = 'http://www.w3.org/2001/XMLSchema-instance';

/** Returns the sample answer of HTTP GET and POST, with gaps; undefined for an operation without a result. */
function responseDocument({ result }: OperationContract, namespace: string): string | undefined {
  if (result === undefined) return undefined;
  const root = create({ version: '1.0', encoding: 'utf-8' }).ele(result.type.name, {
    xmlns: literalText(namespace),
  });
  addValue(root, result.type, 0);
  return root.end({ prettyPrint: true, spaceBeforeSlash: true });
}

function addValue(element: Element, type: ValueType, depth: number, parameter = ''): void {
  if ((type.kind === 'record' || type.kind === 'list') && depth >= DEPTH) {
    element.att(INSTANCE, 'xsi:nil', 'true');
  } else if (type.kind === 'record') {
    for (const part of type.attributes) element.att(part.name, placeholderFor(part.type));
    for (const part of type.elements) addElement(element, part, depth + 1);
  } else if (type.kind === 'list') {
    for (let count = 0; count < SAMPLE_ITEMS; count += 1) addElement(element, type.item, depth + 1);
  } else {
    element.txt(gap(placeholderFor(type), parameter));
  }
}

function addElement(parent: Element, { name, type }: ElementContract, depth: number, parameter = ''): void {
  addValue(parent.ele(name), type, depth, parameter);
}

/** Returns the placeholder of a value: the name of its type, or the names of its enumeration. */
export function placeholderFor(type: ValueType): string {
  return type.kind === 'enumeration' ? type.values.join(' or ') : type.name;
}

function requestEnvelope(
  version: SoapVersion,
  operation: OperationContract,
  namespace: string,
  layout: Layout,
): string {
  return envelope(version, layout, (body) => {
    const call = body.ele(operation.name, { xmlns: literalText(namespace) });
    for (const parameter of operation.parameters) addElement(call, parameter, 1, parameter.name);
  });
}

function responseEnvelope(version: SoapVersion, operation: OperationContract, namespace: string): string {
  const { result } = operation;
  return envelope(version, 'indented', (body) => {
    const response = body.ele(operation.responseElement, { xmlns: literalText(namespace) });
    if (result !== undefined) addElement(response, result, 1);
  });
}

/** `indented` as on ASP.NET's help page, `line` for a command line. */
type Layout = 'indented' | 'line';

// ASP.NET's samples use a different prefix for each version, unlike its messages.
function envelope(
  { binding, envelopeNamespace }: SoapVersion,
  layout: Layout,
  fill: (body: Element) => void,
): string {
  const prefix = binding === 'soap11' ? 'soap' : 'soap12';
  const root = create({ version: '1.0', encoding: 'utf-8' }).ele(`${prefix}:Envelope`, {
    'xmlns:xsi': INSTANCE,
    'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema',
    [`xmlns:${prefix}`]: envelopeNamespace,
  });
  fill(root.ele(`${prefix}:Body`));
  return root.end({ prettyPrint: layout === 'indented', spaceBeforeSlash: true });
}

export const bindingTitle: Readonly<Record<Binding, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  get: 'HTTP GET',
  post: 'HTTP POST',
};

/** Sample request and answer of an operation over one binding, as marked text with gaps. */
export interface BindingSample {
  readonly binding: Binding;
  readonly method: 'GET' | 'POST';
  /** Part of the address after the endpoint's path: empty, or `/Op` with its query. */
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

interface SampleBody {
  /** Layout of ASP.NET's help page. */
  readonly indented: string;
  /** Message without line breaks between elements, for a command line. */
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
    // The question mark is present even without parameters.
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

/**
 * Returns samples for every binding that offers an operation; they are cached, since making them takes
 * milliseconds.
 */
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

/** Returns name-value pairs; a list repeats the parameter's name, and bytes are a list of numbers there. */
function pairs({ parameters }: OperationContract): string {
  const samples = parameters.flatMap(({ name, type }) => {
    if (type.kind === 'list')
      return Array<string>(SAMPLE_ITEMS).fill(`${name}=${gap(placeholderFor(type.item.type))}`);
    if (type.name === 'base64Binary')
      return Array<string>(SAMPLE_ITEMS).fill(`${name}=${gap('unsignedByte')}`);
    return [`${name}=${gap(placeholderFor(type), name)}`];
  });
  return samples.join('&');
}

/** Returns a whole sample request, head and body, in the layout of ASP.NET's help page. */
export function requestMessage(
  { method, target, contentType, soapAction, body }: BindingSample,
  { authority, path }: EndpointAddress,
): MessageTemplate {
  const head = [`${method} ${path}${target} HTTP/1.1`, `Host: ${authority}`];
  if (contentType !== undefined) head.push(...bodyHeaders(contentType));
  if (soapAction !== undefined) head.push(`SOAPAction: ${soapAction}`);
  return new MessageTemplate([...head, '', body?.indented ?? ''].join('\n').trimEnd());
}

/** Returns a whole sample answer, head and body, in the layout of ASP.NET's help page. */
export function responseMessage({ response }: BindingSample): MessageTemplate {
  const head = ['HTTP/1.1 200 OK'];
  if (response !== undefined) head.push(...bodyHeaders(response.contentType), '', response.body);
  return new MessageTemplate(head.join('\n'));
}

function bodyHeaders(contentType: string): readonly string[] {
  return [`Content-Type: ${contentType}`, `Content-Length: ${gap('length')}`];
}
