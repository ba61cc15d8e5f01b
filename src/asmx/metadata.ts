import { answerHeaders, CACHE_ANSWER, textHeaders, type Answer } from './answer';
import { writeDiscoveryDocument } from './discovery-document';
import type { Exchange } from './exchange';
import { readFormParameters } from './form-parameters';
import type { ServiceContract } from './service-contract';
import type { ServiceDescription } from './service-description';
import { operationPage, servicePage } from './service-page';

const XML_HEADERS = answerHeaders(CACHE_ANSWER, 'text/xml; charset=utf-8');

export interface MetadataAnswer {
  readonly kind: NonNullable<Exchange['binding']>;
  readonly answer: Answer;
}

/**
 * Answers a GET of an endpoint's own path: description, discovery document or page (wire contract, section 7).
 *
 * @param path the endpoint's path as requested
 * @param address the same as an absolute URL, asked for only by the documents that hold it
 */
export function answerMetadata(
  service: ServiceContract,
  description: ServiceDescription,
  query: string,
  path: string,
  address: () => string,
): MetadataAnswer {
  const { named, unnamed } = readFormParameters(query);
  if (named.has('schema')) return { kind: 'wsdl', answer: notFound('Schema not found.') };
  if (named.has('wsdl'))
    return { kind: 'wsdl', answer: notFound('XML Web service description was not found.') };
  switch (unnamed?.toLowerCase()) {
    case 'wsdl':
    case 'singlewsdl': // what WCF's tools ask for; the document is a single one anyway
      return { kind: 'wsdl', answer: xml(description.publish(address())) };
    case 'disco':
      return { kind: 'disco', answer: xml(writeDiscoveryDocument(service, address())) };
  }
  const operation = named.get('op');
  return {
    kind: 'page',
    answer: operation === undefined ? servicePage(service, path) : operationPage(service, path, operation),
  };
}

function xml(text: string): Answer {
  return { status: 200, headers: XML_HEADERS, body: Buffer.from(text) };
}

function notFound(text: string): Answer {
  return { status: 500, headers: textHeaders(CACHE_ANSWER), body: Buffer.from(`${text}\r\n`) };
}
