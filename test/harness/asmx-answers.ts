import {
  envelope,
  NAMESPACE,
  type RawResponse,
  SOAP_11,
  SOAP_12,
  SOAP_XML,
  TEXT_XML,
} from '../../scripts/harness';

/** Describes what the wire contract fixes of an answer. */
export interface WireAnswer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly cacheControl: string | undefined;
  readonly body: string;
}

export const FRESH = 'private, max-age=0';
const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

export function seen(response: RawResponse): WireAnswer {
  return {
    status: response.status,
    contentType: response.header('Content-Type'),
    cacheControl: response.header('Cache-Control'),
    body: response.text,
  };
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

export function ok11(body: string): WireAnswer {
  return soapAnswer(200, SOAP_11, body, FRESH);
}

export function ok12(body: string): WireAnswer {
  return soapAnswer(200, SOAP_12, body, FRESH);
}

/** The body element of an answer that carries a result; `result` is the markup inside the Result element. */
export function resultOf(operation: string, result: string, namespace = NAMESPACE): string {
  const inner =
    result === '' ? `<${operation}Result />` : `<${operation}Result>${result}</${operation}Result>`;
  return `<${operation}Response xmlns="${namespace}">${inner}</${operation}Response>`;
}

/** The body element of an answer without a result. */
export function emptyOf(operation: string, namespace = NAMESPACE): string {
  return `<${operation}Response xmlns="${namespace}" />`;
}

/** The answer to a SOAP 1.1 call of GetTokenDevice; `token` is text. */
export function token11Is(token: string): WireAnswer {
  return ok11(resultOf('GetTokenDevice', escapeXml(token)));
}

export function token12Is(token: string): WireAnswer {
  return ok12(resultOf('GetTokenDevice', escapeXml(token)));
}

export interface FaultParts {
  /** Text of the faultactor or Node element. */
  readonly actor?: string;
  /** Markup inside the detail element; null leaves the element out. */
  readonly detail?: string | null;
  readonly cacheControl?: string;
}

/** A SOAP 1.1 fault; `text` is plain text. */
export function fault11(code: string, text: string, parts: FaultParts = {}): WireAnswer {
  const actor = parts.actor === undefined ? '' : `<faultactor>${parts.actor}</faultactor>`;
  const fault =
    `<faultcode>soap:${code}</faultcode><faultstring>${escapeXml(text)}</faultstring>` +
    actor +
    detailElement('detail', parts.detail);
  const body = `<soap:Fault>${fault}</soap:Fault>`;
  return soapAnswer(500, SOAP_11, body, parts.cacheControl ?? 'private');
}

/** A SOAP 1.2 fault; `text` is plain text. */
export function fault12(code: string, text: string, parts: FaultParts = {}): WireAnswer {
  const node = parts.actor === undefined ? '' : `<soap:Node>${parts.actor}</soap:Node>`;
  const fault =
    `<soap:Code><soap:Value>soap:${code}</soap:Value></soap:Code>` +
    `<soap:Reason><soap:Text xml:lang="en">${escapeXml(text)}</soap:Text></soap:Reason>` +
    node +
    detailElement('soap:Detail', parts.detail);
  const body = `<soap:Fault>${fault}</soap:Fault>`;
  return soapAnswer(500, SOAP_12, body, parts.cacheControl ?? 'private');
}

/** The fault for an envelope of an unknown namespace, in SOAP 1.1 form whatever was asked. */
export function versionMismatch(namespace: string): WireAnswer {
  const upgrade =
    `<soap12:Upgrade xmlns:soap12="${SOAP_12}">` +
    `<soap12:SupportedEnvelope qname="soap:Envelope" xmlns:soap="${SOAP_11}" />` +
    `<soap12:SupportedEnvelope qname="soap12:Envelope" xmlns:soap12="${SOAP_12}" /></soap12:Upgrade>`;
  const text =
    `Possible SOAP version mismatch: Envelope namespace ${namespace} was unexpected. ` +
    `Expecting ${SOAP_11}.`;
  const body = `<soap:Fault><faultcode>soap:VersionMismatch</faultcode><faultstring>${escapeXml(text)}</faultstring><detail /></soap:Fault>`;
  return soapAnswer(500, SOAP_11, body, 'private', upgrade);
}

/** A 400 or 415, which has no body but the content type of its SOAP version. */
export function emptyAnswer(status: 400 | 415, contentType: string): WireAnswer {
  return { status, contentType, cacheControl: 'private', body: '' };
}

/** A document of the HTTP GET and POST bindings; `root` is written with line feeds. */
export function formOk(root: string): WireAnswer {
  const body = `${DECLARATION}\n${root}`.replaceAll('\n', '\r\n');
  return { status: 200, contentType: TEXT_XML, cacheControl: FRESH, body };
}

/** The answer of GetTokenDevice over HTTP GET and POST; `token` is text without line ends. */
export function formTokenIs(token: string): WireAnswer {
  return formOk(`<string xmlns="${NAMESPACE}">${escapeXml(token)}</string>`);
}

/** An error of the HTTP GET and POST bindings; `text` is encoded already and without its last line end. */
export function formError(text: string, cacheControl = 'private'): WireAnswer {
  return { status: 500, contentType: 'text/plain; charset=utf-8', cacheControl, body: `${text}\r\n` };
}

/** This is what the HTTP GET and POST bindings answer where there is no result. */
export const FORM_VOID: WireAnswer = {
  status: 200,
  contentType: undefined,
  cacheControl: FRESH,
  body: '',
};

function soapAnswer(
  status: number,
  namespace: string,
  body: string,
  cacheControl: string,
  header?: string,
): WireAnswer {
  const contentType = namespace === SOAP_11 ? TEXT_XML : SOAP_XML;
  return { status, contentType, cacheControl, body: envelope(namespace, body, header) };
}

function detailElement(name: string, content: string | null | undefined): string {
  if (content === null) return '';
  return content === undefined ? `<${name} />` : `<${name}>${content}</${name}>`;
}
