import { type HttpResponse, responseHeaders, CACHE_RESULT, CACHE_ERROR, RETRY_SOON, TOO_BUSY } from '../http';
import { errorMessages } from '../results';
import { type FaultCode, OperationFault } from '../contract';
import {
  ENVELOPE_END,
  envelopeStart,
  SOAP11,
  SOAP11_ENVELOPE,
  SOAP12_ENVELOPE,
  type SoapVersion,
} from './soap-version';
import { escapeText } from '../xml';

const FAULT_STATUS = 500;
const UNREADABLE = 'The envelope cannot be read.';

interface Fault {
  /** Local name in the envelope's namespace: `Client`, `Receiver`, `MustUnderstand`. */
  readonly code: string;
  readonly text: string;
  readonly actor?: string | undefined;
  /** Markup of the detail; undefined leaves the element out. */
  readonly detail: string | undefined;
}

/**
 * A fault found before an operation ran.
 *
 * @param reason - for the log; to be given where the text holds anything of the caller's
 */
export function soapError(version: SoapVersion, code: FaultCode, text: string, reason = text): HttpResponse {
  return {
    ...writeFault(version, { code: version.faultCodes[code], text, detail: '' }, CACHE_ERROR),
    reason,
  };
}

/** A call that its caller may not make: the status says why, which HTTP's own ways to log in need. */
export function refusedCall(
  version: SoapVersion,
  { status, headers, message }: { status: number; headers: readonly string[]; message: string },
): HttpResponse {
  const fault = soapError(version, 'Client', message);
  return { ...fault, status, headers: [...fault.headers, ...headers] };
}

/** What could not be read after routing: always the caller's error. */
export function unreadableRequest(version: SoapVersion, detail: string): HttpResponse {
  return soapError(version, 'Client', `Server was unable to read request. ---> ${detail}`, UNREADABLE);
}

/** What could not be routed: the parser's or the reader's words behind ASP.NET's. */
export function unprocessableRequest(version: SoapVersion, detail: string): HttpResponse {
  return soapError(version, 'Server', `Server was unable to process request. ---> ${detail}`, UNREADABLE);
}

/** A header block that must be understood and is not; the handler has not run. */
export function notUnderstood(version: SoapVersion, name: string): HttpResponse {
  const fault = {
    code: 'MustUnderstand',
    text: `SOAP header ${name} was not understood.`,
    detail: undefined,
  };
  // Cached like an answer: ASP.NET finds it while the call is under way, as recorded.
  return { ...writeFault(version, fault, CACHE_RESULT), reason: 'A header block was not understood.' };
}

/** An envelope of neither SOAP version: answered in 1.1 form, with the versions there are (wire contract, section 3.3). */
export function versionMismatch(namespace: string): HttpResponse {
  const text = `Possible SOAP version mismatch: Envelope namespace ${namespace} was unexpected. Expecting ${SOAP11_ENVELOPE}.`;
  const fault = writeFault(SOAP11, { code: 'VersionMismatch', text, detail: '' }, CACHE_ERROR, UPGRADE);
  return { ...fault, reason: 'The envelope is of neither SOAP version.' };
}

const UPGRADE =
  `<soap:Header><soap12:Upgrade xmlns:soap12="${SOAP12_ENVELOPE}">` +
  `<soap12:SupportedEnvelope qname="soap:Envelope" xmlns:soap="${SOAP11_ENVELOPE}" />` +
  `<soap12:SupportedEnvelope qname="soap12:Envelope" xmlns:soap12="${SOAP12_ENVELOPE}" />` +
  '</soap12:Upgrade></soap:Header>';

/** What a handler threw. Its own faults keep their words; any other error gets ASP.NET's before its own. */
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
  415: 'The media type is not that of the envelope.',
} as const;

/** An error that has a status and no words: 400 for what is not well-formed, 415 for a media type (rule A). */
export function emptyError(version: SoapVersion, status: 400 | 415): HttpResponse {
  const headers = responseHeaders(CACHE_ERROR, version.contentType);
  return { status, headers, body: '', reason: EMPTY_ERRORS[status] };
}

/** No room for a request at the moment: no words, as clients read a fault from a 500 only (rule A). */
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
