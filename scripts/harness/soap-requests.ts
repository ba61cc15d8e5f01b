import type { Binding } from '../../src/asmx';
import type { RawRequest } from './raw-request';

export const NAMESPACE = 'http://tempuri.org/';
export const SOAP_11 = 'http://schemas.xmlsoap.org/soap/envelope/';
export const SOAP_12 = 'http://www.w3.org/2003/05/soap-envelope';
export const TEXT_XML = 'text/xml; charset=utf-8';
export const SOAP_XML = 'application/soap+xml; charset=utf-8';

const SCHEMAS =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

/** Values of parameters as markup: `a &amp; b`, `<![CDATA[x]]>`. */
export type Markup = Readonly<Record<string, string>>;

/** An envelope of the SOAP version that the namespace names; `body` and `header` are the markup inside. */
export function envelope(namespace: string, body: string, header?: string): string {
  const head = header === undefined ? '' : `<soap:Header>${header}</soap:Header>`;
  return (
    `<?xml version="1.0" encoding="utf-8"?><soap:Envelope xmlns:soap="${namespace}" ${SCHEMAS}>` +
    `${head}<soap:Body>${body}</soap:Body></soap:Envelope>`
  );
}

export function envelope11(body: string, header?: string): string {
  return envelope(SOAP_11, body, header);
}

export function envelope12(body: string, header?: string): string {
  return envelope(SOAP_12, body, header);
}

/** The element inside the Body that calls an operation. */
export function call(operation: string, parameters: Markup = {}, namespace = NAMESPACE): string {
  const values = Object.entries(parameters).map(([name, markup]) => `<${name}>${markup}</${name}>`);
  return `<${operation} xmlns="${namespace}">${values.join('')}</${operation}>`;
}

/** A SOAP 1.1 request as .NET proxies send it. */
export function soap11(endpoint: string, operation: string, body: string | Uint8Array): RawRequest {
  const headers = [
    ['Content-Type', TEXT_XML],
    ['SOAPAction', `"${NAMESPACE}${operation}"`],
  ] as const;
  return { path: `/${endpoint}.asmx`, headers, body };
}

/** A SOAP 1.2 request without an action; `parameters` may add one to its Content-Type (`; action="..."`). */
export function soap12(endpoint: string, body: string | Uint8Array, parameters = ''): RawRequest {
  return { path: `/${endpoint}.asmx`, headers: [['Content-Type', SOAP_XML + parameters]], body };
}

/** A request of the HTTP POST binding; `form` is the encoded body. */
export function form(endpoint: string, operation: string, form: string | Uint8Array): RawRequest {
  const headers = [['Content-Type', 'application/x-www-form-urlencoded']] as const;
  return { path: `/${endpoint}.asmx/${operation}`, headers, body: form };
}

/** A request of the HTTP GET binding; `query` is encoded and without its question mark. */
export function get(endpoint: string, operation: string, query = ''): RawRequest {
  return { path: `/${endpoint}.asmx/${operation}${query === '' ? '' : `?${query}`}` };
}

/** SOAP 1.1 call of GetTokenDevice, the operation that reports what arrived; `id` is markup. */
export function token11(id: string): RawRequest {
  return tokenMessage11(envelope11(call('GetTokenDevice', { id })));
}

export function token12(id: string, parameters = ''): RawRequest {
  return tokenMessage12(envelope12(call('GetTokenDevice', { id })), parameters);
}

/** SOAP 1.1 request to GetTokenDevice with any body. */
export function tokenMessage11(body: string | Uint8Array): RawRequest {
  return soap11('PushNotificationMobile', 'GetTokenDevice', body);
}

/** SOAP 1.2 request to the endpoint of GetTokenDevice; `parameters` as of `soap12`. */
export function tokenMessage12(body: string | Uint8Array, parameters = ''): RawRequest {
  return soap12('PushNotificationMobile', body, parameters);
}

/** Holds what each binding is called in text. */
export const BINDING_TITLES: Readonly<Record<Binding, string>> = {
  soap11: 'SOAP 1.1',
  soap12: 'SOAP 1.2',
  get: 'HTTP GET',
  post: 'HTTP POST',
};

/** A call over a binding, as .NET proxies write it; the values of the parameters as they stand on the wire. */
export function request(
  binding: Binding,
  endpoint: string,
  operation: string,
  parameters: Markup,
): RawRequest {
  return WRITERS[binding](endpoint, operation, parameters);
}

type Writer = (endpoint: string, operation: string, parameters: Markup) => RawRequest;

const WRITERS: Readonly<Record<Binding, Writer>> = {
  soap11: (endpoint, operation, parameters) =>
    soap11(endpoint, operation, envelope11(call(operation, parameters))),
  soap12: (endpoint, operation, parameters) =>
    soap12(endpoint, envelope12(call(operation, parameters)), `; action="${NAMESPACE}${operation}"`),
  get: (endpoint, operation, parameters) => get(endpoint, operation, pairs(parameters)),
  post: (endpoint, operation, parameters) => form(endpoint, operation, pairs(parameters)),
};

function pairs(parameters: Markup): string {
  return Object.entries(parameters)
    .map((pair) => pair.join('='))
    .join('&');
}
