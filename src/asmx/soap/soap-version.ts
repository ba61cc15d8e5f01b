import type { Binding } from '../contract';

export const SOAP11_ENVELOPE = 'http://schemas.xmlsoap.org/soap/envelope/';
export const SOAP12_ENVELOPE = 'http://www.w3.org/2003/05/soap-envelope';

/** What differs between the two SOAP versions on the wire. */
export interface SoapVersion {
  readonly binding: Extract<Binding, 'soap11' | 'soap12'>;
  readonly envelopeNamespace: string;
  readonly contentType: string;
  /** The fault code's name for an error of the caller's, and for one of ours. */
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

/** The version that a root element's namespace stands for, or undefined. */
export function versionOf(namespace: string | undefined): SoapVersion | undefined {
  if (namespace === SOAP11_ENVELOPE) return SOAP11;
  return namespace === SOAP12_ENVELOPE ? SOAP12 : undefined;
}

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';
const SCHEMAS =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

/** What stands before the content of Body in every SOAP answer (wire contract, sections 2.1 and 2.2). */
export function envelopeStart(version: SoapVersion, header = ''): string {
  return `${DECLARATION}<soap:Envelope xmlns:soap="${version.envelopeNamespace}" ${SCHEMAS}>${header}<soap:Body>`;
}

export const ENVELOPE_END = '</soap:Body></soap:Envelope>';
