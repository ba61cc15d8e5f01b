import type { IncomingMessage } from 'node:http';

import type { AttemptedCall, OperationContract, OperationResult } from '../contract/operation';
import { urlDecode } from '../http/form-parameters';
import { type MediaType, readMediaType } from '../http/media-type';
import type { BodyRefusal } from '../http/request-body';
import { decodeXmlBody } from '../http/request-encoding';
import type { HttpResponse } from '../http/response';
import { CACHE_RESULT, responseHeaders } from '../http/response-headers';
import { resultWriter } from '../results/result-writer';
import type { ReadOutcome, ServedOperation, UnreadCall } from '../served-operation';
import { escapeAttribute } from '../xml/xml-characters';
import type { EnvelopeReader } from './envelope-reader';
import type { SoapService } from './node-soap';
import {
  busyError,
  emptyError,
  ENVELOPE_END,
  envelopeStart,
  findVersion,
  notUnderstood,
  SOAP11,
  SOAP11_ENVELOPE,
  SOAP12,
  soapError,
  type SoapVersion,
  unprocessableRequest,
  unreadableRequest,
  versionMismatch,
} from './soap-fault';
import type { EnvelopeReading } from './value-reader';

interface SoapHead {
  readonly contentType: string | undefined;
  /** The SOAPAction header's value, undefined without the header. */
  readonly soapAction: string | undefined;
}

/**
 * Reads the head of a request. The last of several SOAPAction headers counts, as recorded; Node joins them.
 */
export function readSoapHead(request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): SoapHead {
  const { 'content-type': contentType, soapaction: joined } = request.headers;
  const soapAction =
    typeof joined === 'string' && joined.includes(',')
      ? request.headersDistinct['soapaction']?.at(-1)
      : joined?.toString();
  return { contentType, soapAction };
}

const OVERSIZE =
  'There was an exception running the extensions specified in the config file. ---> Maximum request length exceeded.';

const SOAP12_MEDIA_TYPE = 'application/soap+xml';
const SOAP_MEDIA_TYPES: ReadonlySet<string> = new Set(['text/xml', SOAP12_MEDIA_TYPE]);

const MISSING_BODY = 'Request format is invalid: Missing required soap:Body element.';
const MISSING_ENVELOPE = 'Request format is invalid: Missing required soap:Envelope element.';
/** Reason for the log. */
const NO_OPERATION = 'The endpoint has no operation of this action.';
const NO_ACTION =
  'Unable to handle request without a valid action parameter. Please supply a valid soap action.';

/** Reads one endpoint's SOAP requests, step by step as the wire contract's section 3 numbers them. */
export class SoapBinding {
  readonly #reader: EnvelopeReader;
  readonly #service: SoapService;
  readonly #operations: ReadonlyMap<string, ServedOperation>;
  /** Operations by SOAPAction header in the usual spelling, so that a valid header costs one look-up. */
  readonly #written: ReadonlyMap<string, OperationContract>;

  constructor(
    reader: EnvelopeReader,
    service: SoapService,
    operations: ReadonlyMap<string, ServedOperation>,
  ) {
    this.#reader = reader;
    this.#service = service;
    this.#operations = operations;
    this.#written = new Map(
      [...service.actions.soap11.keys()]
        .flatMap((action) => [action, `"${action}"`])
        .flatMap((header) => {
          const operation = this.#byAction(SOAP11, unquoteAction(header));
          return operation === undefined ? [] : [[header, operation] as const];
        }),
    );
  }

  /**
   * Identifies a call by its headers alone. The envelope's version counts, so `text/xml` may turn out to be
   * either.
   */
  attempt({ contentType, soapAction }: SoapHead): AttemptedCall {
    const mediaType = readMediaType(contentType);
    if (mediaType.name === SOAP12_MEDIA_TYPE) {
      const action = mediaType.action === undefined ? '' : urlDecode(mediaType.action);
      return { operation: this.#byAction(SOAP12, action)?.name, bindings: ['soap12'] };
    }
    if (soapAction === undefined) return { operation: undefined, bindings: ['soap12', 'soap11'] };
    return { operation: this.#byHeader(soapAction)?.name, bindings: ['soap11', 'soap12'] };
  }

  read({ contentType, soapAction }: SoapHead, body: Buffer): ReadOutcome {
    const mediaType = readMediaType(contentType);
    // Step 1: the header selects the routing rules; the envelope decides the version.
    return soapAction === undefined || mediaType.name === SOAP12_MEDIA_TYPE
      ? this.#readByContent(mediaType, body)
      : this.#readByAction(mediaType, soapAction, body);
  }

  /** The 1.1 rules: the SOAPAction header alone names the operation. */
  #readByAction(mediaType: MediaType, header: string, body: Buffer): ReadOutcome {
    const operation = this.#byHeader(header);
    if (operation === undefined) {
      const text = `Server did not recognize the value of HTTP Header SOAPAction: ${unquoteAction(header)}.`;
      return { response: soapError(SOAP11, 'Client', text, NO_OPERATION) };
    }
    if (!SOAP_MEDIA_TYPES.has(mediaType.name)) return { response: emptyError(SOAP11, 415) };
    return this.#finish(this.#parse(body, mediaType, operation), mediaType, SOAP11);
  }

  /** The 1.2 rules: the action parameter names the operation if possible, else Body's first child. */
  #readByContent(mediaType: MediaType, body: Buffer): ReadOutcome {
    const action = mediaType.action === undefined ? '' : urlDecode(mediaType.action);
    const reading = this.#parse(body, mediaType, this.#byAction(SOAP12, action));
    if (reading.operation === undefined) return { response: unrouted(reading, action) };
    if (!SOAP_MEDIA_TYPES.has(mediaType.name)) return { response: emptyError(SOAP12, 415) };
    return this.#finish(reading, mediaType, SOAP12);
  }

  #byHeader(soapAction: string): OperationContract | undefined {
    return this.#written.get(soapAction) ?? this.#byAction(SOAP11, unquoteAction(soapAction));
  }

  #byAction(version: SoapVersion, action: string): OperationContract | undefined {
    const name = this.#service.actions[version.binding].get(action);
    return name === undefined ? undefined : this.#operations.get(name)?.contract;
  }

  #parse(body: Buffer, mediaType: MediaType, operation: OperationContract | undefined): EnvelopeReading {
    const text = decodeXmlBody(body, mediaType.charset);
    return this.#reader.read(text, operation, (name) => this.#operations.get(name)?.contract);
  }

  /** Steps 4 to 6: the envelope's version, its errors, its header blocks. */
  #finish(reading: EnvelopeReading, mediaType: MediaType, guess: SoapVersion): ReadOutcome {
    const { rootNamespace, operation } = reading;
    const version = rootNamespace === undefined ? guess : findVersion(rootNamespace);
    if (version === undefined) return { response: versionMismatch(rootNamespace ?? '') };
    if (rootNamespace === SOAP11_ENVELOPE && mediaType.name === SOAP12_MEDIA_TYPE)
      return { response: emptyError(SOAP11, 415) };
    const problem = readingProblem(reading, version);
    if (problem !== undefined) return { response: problem };
    const served = operation === undefined ? undefined : this.#operations.get(operation.name);
    if (served === undefined) return { response: soapError(version, 'Client', NO_ACTION) };
    return { invocation: { operation: served, binding: version.binding, args: reading.parameters } };
  }
}

export class SoapCall implements UnreadCall {
  readonly #soap: SoapBinding;
  readonly #head: SoapHead;

  constructor(soap: SoapBinding, request: IncomingMessage) {
    this.#soap = soap;
    this.#head = readSoapHead(request);
  }

  attempt(): AttemptedCall {
    return this.#soap.attempt(this.#head);
  }

  refuse(reason: BodyRefusal): HttpResponse {
    return refuseEnvelope(this.#head, reason);
  }

  read(body: Buffer): ReadOutcome {
    return this.#soap.read(this.#head, body);
  }
}

/** Removes one pair of double quotes and URL-decodes the rest (step 2). */
function unquoteAction(header: string): string {
  const quoted = header.length >= 2 && header.startsWith('"') && header.endsWith('"');
  return urlDecode(quoted ? header.slice(1, -1) : header);
}

/** Answers step 2 under the 1.2 rules when no operation was found. */
function unrouted({ rootNamespace, bodyElement, error }: EnvelopeReading, action: string): HttpResponse {
  const version = rootNamespace === undefined ? SOAP12 : findVersion(rootNamespace);
  if (version === undefined) return versionMismatch(rootNamespace ?? '');
  switch (bodyElement.found) {
    case 'missing-envelope':
      return unprocessableRequest(version, MISSING_ENVELOPE);
    case 'missing-body':
      return unprocessableRequest(version, MISSING_BODY);
    case 'broken':
      if (error?.kind === 'unreadable') return unreadableRequest(version, error.message);
      return unprocessableRequest(version, error?.message ?? MISSING_BODY);
    default:
      return soapError(
        version,
        'Client',
        action === '' ? NO_ACTION : `Unable to handle request. The action '${action}' was not recognized.`,
        action === '' ? NO_ACTION : NO_OPERATION,
      );
  }
}

/** Steps 5 and 6. */
function readingProblem(
  { bodyElement, mustUnderstand, error }: EnvelopeReading,
  version: SoapVersion,
): HttpResponse | undefined {
  // The root is checked first; a missing Body is known only at the end.
  if (bodyElement.found === 'missing-envelope') return unreadableRequest(version, MISSING_ENVELOPE);
  if (error?.kind === 'malformed') return emptyError(version, 400);
  if (error !== undefined) return unreadableRequest(version, error.message);
  if (bodyElement.found === 'missing-body') return unreadableRequest(version, MISSING_BODY);
  return mustUnderstand === undefined ? undefined : notUnderstood(version, mustUnderstand);
}

/**
 * Answers a SOAP request whose body is over the limit, or for which there is no room. ASP.NET's message about
 * the limit depends on the rules that would have routed the request (wire contract, section 3): without an
 * action it looks for one in a body that it does not have.
 */
export function refuseEnvelope({ contentType, soapAction }: SoapHead, reason: BodyRefusal): HttpResponse {
  const { name, action } = readMediaType(contentType);
  const is11 = soapAction !== undefined && name !== SOAP12_MEDIA_TYPE;
  if (reason === 'busy') return busyError(is11 ? SOAP11 : SOAP12);
  if (is11) return soapError(SOAP11, 'Server', OVERSIZE);
  return action === undefined || action === ''
    ? unprocessableRequest(SOAP12, 'Object reference not set to an instance of an object.')
    : soapError(SOAP12, 'Server', OVERSIZE);
}

const LAYOUT = { indent: '', newline: '' };

/**
 * Prepares the writer of an operation's SOAP answers (wire contract, section 2.3): all markup except the
 * values is assembled once.
 *
 * @param dotNetNamespace namespace of the service's own types
 */
export function soapResultWriter(
  version: SoapVersion,
  operation: OperationContract,
  namespace: string,
  dotNetNamespace: string | undefined,
): (result: OperationResult) => HttpResponse {
  const headers = responseHeaders(CACHE_RESULT, version.contentType);
  const open = `${envelopeStart(version)}<${operation.responseElement} xmlns="${escapeAttribute(namespace)}"`;
  const close = `</${operation.responseElement}>${ENVELOPE_END}`;
  const empty = `${open} />${ENVELOPE_END}`;
  const { result: declared } = operation;
  if (declared === undefined) return () => ({ status: 200, headers, body: empty });

  const { name, nillable } = declared;
  const write = resultWriter(
    operation.name,
    declared,
    {
      start: `${open}>`,
      end: close,
      name,
      declarations: { text: '', schemas: '' },
      layout: LAYOUT,
      none: nillable ? `${open}><${name} xsi:nil="true" />${close}` : empty,
    },
    dotNetNamespace,
  );
  return (result) => ({ status: 200, headers, ...write(result) });
}
