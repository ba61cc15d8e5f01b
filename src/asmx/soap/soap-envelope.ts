import type { SoapVersion } from './soap-version';

const DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';
const SCHEMAS =
  'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema"';

/** What stands before the content of Body in every SOAP answer (wire contract, sections 2.1 and 2.2). */
export function envelopeStart(version: SoapVersion, header = ''): string {
  return `${DECLARATION}<soap:Envelope xmlns:soap="${version.envelopeNamespace}" ${SCHEMAS}>${header}<soap:Body>`;
}

export const ENVELOPE_END = '</soap:Body></soap:Envelope>';
