import type { IncomingMessage } from 'node:http';

/** What the headers of a SOAP request say of it. */
export interface SoapHead {
  /** The Content-Type header's value, undefined without the header. */
  readonly contentType: string | undefined;
  /** The SOAPAction header's value, undefined without the header. */
  readonly soapAction: string | undefined;
}

/** Reads the head of a request. Of several SOAPAction headers the last counts, as recorded; Node joins them. */
export function readSoapHead(request: Pick<IncomingMessage, 'headers' | 'headersDistinct'>): SoapHead {
  const { 'content-type': contentType, soapaction: joined } = request.headers;
  const soapAction =
    typeof joined === 'string' && joined.includes(',')
      ? request.headersDistinct['soapaction']?.at(-1)
      : joined?.toString();
  return { contentType, soapAction };
}
