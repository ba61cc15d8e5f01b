import { create } from 'xmlbuilder2';
import { literalText } from '../xml';
import type { ServiceContract } from '../contract';

const DISCOVERY = 'http://schemas.xmlsoap.org/disco/';
const SERVICE_CONTRACT = 'http://schemas.xmlsoap.org/disco/scl/';
const SOAP = 'http://schemas.xmlsoap.org/disco/soap/';

/**
 * Writes the discovery document (`?disco`) of an endpoint (wire contract, section 7).
 *
 * @param url absolute URL of the endpoint
 * @returns the document with CRLF line ends, as ASP.NET writes it
 */
export function writeDiscoveryDocument(service: ServiceContract, url: string): string {
  const address = literalText(url);
  const root = create({ version: '1.0', encoding: 'utf-8' }).ele('discovery', {
    'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema',
    'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
    xmlns: DISCOVERY,
  });
  root.ele('contractRef', { ref: `${address}?wsdl`, docRef: address, xmlns: SERVICE_CONTRACT });
  [`${service.name}Soap`, `${service.name}Soap12`].forEach((binding, index) => {
    const prefix = `q${String(index + 1)}`;
    root.ele('soap', {
      address,
      [`xmlns:${prefix}`]: literalText(service.namespace),
      binding: `${prefix}:${binding}`,
      xmlns: SOAP,
    });
  });
  return root.end({ prettyPrint: true, newline: '\r\n', spaceBeforeSlash: true });
}
