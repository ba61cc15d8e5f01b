import { type Binding, type FaultCode, OperationFault } from '../contract/operation';
import { errorMessages } from '../error-messages';
import type { HttpResponse } from '../http/response';
import { CACHE_ERROR, CACHE_RESULT, responseHeaders, RETRY_SOON, TOO_BUSY } from '../http/response-headers';
import type { ValueError } from '../types/value-error';
import { escapeText } from '../xml/xml-characters';

export const SOAP11_ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
export const SOAP12_ENVELOPE = 'http://www.w3.org/2003/05/soap-envelope';

/** Differences between the two SOAP versions on the wire. */
export interface SoapVersion {
  readonly binding: Extract<Binding, 'soap11' | 'soap12'>;
  readonly envelopeNamespace: string;
  readonly contentType: string;
  /** Name of the fault code for an error of the caller, and for one of the service. */
  readonly faultCodes: Readonly<Record<'Client' | 'Server', string>>;
}

export const SOAP11: SoapVersion = {
  binding: 'soap11',
  envelopeNamespace: SOAP11_ENVELOPE,
  contentType: 'text/xml; charset=utf-8',
  faultCodes: { Client: 'Client', Server: 'Server' },
};

export const SOAP12: SoapVersion = {
  binding: 'soap12',
  envelopeNamespace: SOAP12_ENVELOPE,
  contentType: 'application/soap+xml; charset=utf-8',
  faultCodes: { Client: 'Sender', Server: 'Receiver' },
};

/** Returns the version of a root element's namespace, or undefined. */
export function findVersion(namespace: string | undefined): SoapVersion | undefined {
  if (namespace === SOAP11_ENVELOPE) return SOAP11;
  return namespace === SOAP12_ENVELOPE ? SOAP12 : undefined;
}

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';
const SCHEMAS =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

/**
 * Returns the markup before the content of Body in every SOAP answer (wire contract, sections 2.1 and 2.2).
 */
export function envelopeStart(version: SoapVersion, header = ''): string {
  return `${DECLARATION}<soap:Envelope xmlns:soap="${version.envelopeNamespace}" ${SCHEMAS}>${header}<soap:Body>`;
}

export const ENVELOPE_END = '</soap:Body></soap:Envelope>';

const FAULT_STATUS = 500;
const UNREADABLE = 'The envelope cannot be read.';

interface Fault {
  /** Local name in the envelope's namespace: `Client`, `Receiver`, `MustUnderstand`. */
  readonly code: string;
  readonly text: string;
  readonly actor?: string | undefined;
  /** Markup of the detail; undefined omits the element. */
  readonly detail: string | undefined;
}

/**
 * Returns a fault found before an operation ran.
 *
 * @param reason for the log; required if the text contains anything from the caller
 */
export function soapError(version: SoapVersion, code: FaultCode, text: string, reason = text): HttpResponse {
  return {
    ...writeFault(version, { code: version.faultCodes[code], text, detail: '' }, CACHE_ERROR),
    reason,
  };
}

/**
 * Answers a call that its caller may not make: the status tells the reason, which HTTP authentication needs.
 */
export function refusedCall(
  version: SoapVersion,
  { status, headers, message }: { status: number; headers: readonly string[]; message: string },
): HttpResponse {
  const fault = soapError(version, 'Client', message);
  return { ...fault, status, headers: [...fault.headers, ...headers] };
}

/** Returns the fault for a request that could not be read after routing: always the caller's error. */
export function unreadableRequest(version: SoapVersion, detail: string): HttpResponse {
  return soapError(version, 'Client', `Server was unable to read request. ---> ${detail}`, UNREADABLE);
}

/** Returns the fault for a request that could not be routed: ASP.NET's words followed by the reader's. */
export function unprocessableRequest(version: SoapVersion, detail: string): HttpResponse {
  return soapError(version, 'Server', `Server was unable to process request. ---> ${detail}`, UNREADABLE);
}

/** Returns the fault for a mandatory header block that was not understood; the handler has not run. */
export function notUnderstood(version: SoapVersion, name: string): HttpResponse {
  const fault = {
    code: 'MustUnderstand',
    text: `SOAP header ${name} was not understood.`,
    detail: undefined,
  };
  // Cached like an answer: ASP.NET detects it during the call, as recorded.
  return { ...writeFault(version, fault, CACHE_RESULT), reason: 'A header block was not understood.' };
}

/**
 * Answers an envelope of neither SOAP version in 1.1 form, with the supported versions (wire contract,
 * section 3.3).
 */
export function versionMismatch(namespace: string): HttpResponse {
  const text = `Possible SOAP version mismatch: Envelope namespace ${namespace} was unexpected. Expecting ${SOAP11_ENVELOPE}.`;
  const fault = writeFault(SOAP11, { code: 'VersionMismatch', text, detail: '' }, CACHE_ERROR, UPGRADE);
  return { ...fault, reason: 'The envelope has neither SOAP version.' };
}

const UPGRADE =
  `<soap:Header><soap12:Upgrade xmlns:soap12="${SOAP12_ENVELOPE}">` +
  `<soap12:SupportedEnvelope qname="soap:Envelope" xmlns:soap="${SOAP11_ENVELOPE}" />` +
  `<soap12:SupportedEnvelope qname="soap12:Envelope" xmlns:soap12="${SOAP12_ENVELOPE}" />` +
  '</soap12:Upgrade></soap:Header>';

/**
 * Returns the fault for an error thrown by a handler. An OperationFault keeps its text; any other error gets
 * ASP.NET's prefix.
 */
export function operationFailure(version: SoapVersion, error: unknown): HttpResponse {
  if (error instanceof OperationFault) {
    const { code, message, actor, detail = '' } = error;
    return writeFault(
      version,
      { code: version.faultCodes[code], text: message, actor, detail },
      CACHE_RESULT,
    );
  }
  const text = ['Server was unable to process request.', ...errorMessages(error)].join(' ---> ');
  return writeFault(version, { code: version.faultCodes.Server, text, detail: '' }, CACHE_RESULT);
}

const EMPTY_ERRORS = {
  400: 'The envelope is not well-formed.',
  415: 'The media type does not match the envelope.',
} as const;

/** Returns an error with an empty body: 400 for malformed XML, 415 for a media type (rule A). */
export function emptyError(version: SoapVersion, status: 400 | 415): HttpResponse {
  const headers = responseHeaders(CACHE_ERROR, version.contentType);
  return { status, headers, body: '', reason: EMPTY_ERRORS[status] };
}

/**
 * Answers a request for which there is no room at the moment: without a body, as clients read a fault from a
 * 500 only (rule A).
 */
export function busyError({ contentType }: SoapVersion): HttpResponse {
  const headers = [...responseHeaders(CACHE_ERROR, contentType), ...RETRY_SOON];
  return { status: 503, headers, body: '', reason: TOO_BUSY };
}

function writeFault(version: SoapVersion, fault: Fault, cacheControl: string, header = ''): HttpResponse {
  const markup = version === SOAP11 ? fault11(fault) : fault12(fault);
  return {
    status: FAULT_STATUS,
    headers: responseHeaders(cacheControl, version.contentType),
    body: `${envelopeStart(version, header)}<soap:Fault>${markup}</soap:Fault>${ENVELOPE_END}`,
  };
}

function fault11({ code, text, actor, detail }: Fault): string {
  const node = actor === undefined ? '' : `<faultactor>${escapeText(actor)}</faultactor>`;
  return `<faultcode>soap:${code}</faultcode><faultstring>${escapeText(text)}</faultstring>${node}${detailElement('detail', detail)}`;
}

function fault12({ code, text, actor, detail }: Fault): string {
  const node = actor === undefined ? '' : `<soap:Node>${escapeText(actor)}</soap:Node>`;
  return (
    `<soap:Code><soap:Value>soap:${code}</soap:Value></soap:Code>` +
    `<soap:Reason><soap:Text xml:lang="en">${escapeText(text)}</soap:Text></soap:Reason>` +
    `${node}${detailElement('soap:Detail', detail)}`
  );
}

function detailElement(name: string, detail: string | undefined): string {
  if (detail === undefined) return '';
  return detail === '' ? `<${name} />` : `<${name}>${detail}</${name}>`;
}

export interface ValueFault {
  readonly error: ValueError;
  /** Offset of the node that .NET's reader has reached by then, markup included. */
  readonly offset: number;
}

/** Carries a fault that takes effect immediately out of the parser's event handlers. */
export class ValueFaultException extends Error {
  override readonly name = 'ValueFaultException';

  constructor(readonly fault: ValueFault) {
    super(fault.error.message);
  }
}
