import type { IncomingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';

import etag from 'etag';
import type { Request } from 'express';
import fresh from 'fresh';
import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { create } from 'xmlbuilder2';

import type { ServiceDescription } from '../contract/contract-reader';
import type { OperationContract, ServiceContract } from '../contract/operation';
import { isLocalCaller } from '../http/client-address';
import { readFormParameters, TOO_MANY_PAIRS } from '../http/form-parameters';
import { parsePublicAddress, type PublicAddress, readPublicAddress } from '../http/public-address';
import type { HttpResponse } from '../http/response';
import { CACHE_RESULT, responseHeaders, textHeaders } from '../http/response-headers';
import { literalText } from '../xml/xml-characters';
import type { ServiceHelp } from './help';
import { indexPage, type ServerState, type ServerText, servicePage } from './pages/index-page';
import { operationPage, type TestFormView, unknownOperationPage } from './pages/operation-page';
import { endpointAddress, type EndpointAddress } from './pages/page';
import { type BindingSample, bindingSamples } from './pages/samples';
import type { TestForm } from './pages/test-form';

const DISCOVERY = 'http://schemas.xmlsoap.org/disco/';
const SERVICE_CONTRACT = 'http://schemas.xmlsoap.org/disco/scl/';
const SOAP = 'http://schemas.xmlsoap.org/disco/soap/';

/**
 * Writes the discovery document (`?disco`) of an endpoint (wire contract, section 7).
 *
 * @param url absolute URL of the endpoint
 * @returns the document with CRLF line ends, as ASP.NET writes it
 */
function writeDiscoveryDocument(service: ServiceContract, url: string): string {
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

// This server has about a dozen documents for each address; the rest are for made-up hosts, which must not
// fill memory.
const COMPRESSED_DOCUMENTS = 64;
/**
 * Longest compressed document that is kept: ours are shorter, except with a made-up host of many kilobytes.
 */
const COMPRESSED_BYTES = 64 * 1024;

/**
 * Adapts documents (pages, descriptions) to the caller: compressed if it accepts gzip, without the body if it
 * already has them.
 */
export class DocumentNegotiation {
  /** Compressed bodies by entity tag. */
  readonly #compressed = new LRUCache<string, Buffer>({ max: COMPRESSED_DOCUMENTS });

  /** @param response a whole document; anything but status 200 is returned unchanged */
  negotiate(response: HttpResponse, headers: IncomingHttpHeaders): HttpResponse {
    if (response.status !== 200) return response;
    const tag = etag(response.body, { weak: true });
    const validators = ['ETag', tag, 'Vary', 'Accept-Encoding'];
    const acceptsGzip = new Negotiator({ headers }).encodings(['gzip']).length > 0;
    // The body of a 304 is never sent; its length is that of the response it replaces (RFC 9110, section
    // 8.6).
    const status = fresh(headers, { etag: tag }) ? 304 : 200;
    if (!acceptsGzip) return { ...response, status, headers: [...response.headers, ...validators] };
    return {
      status,
      headers: [...response.headers, ...validators, 'Content-Encoding', 'gzip'],
      body: this.#compress(tag, response.body),
    };
  }

  #compress(tag: string, body: HttpResponse['body']): Buffer {
    const known = this.#compressed.get(tag);
    if (known !== undefined) return known;
    const compressed = gzipSync(body);
    if (compressed.length <= COMPRESSED_BYTES) this.#compressed.set(tag, compressed);
    return compressed;
  }
}

const XML_HEADERS = responseHeaders(CACHE_RESULT, 'text/xml; charset=utf-8');

interface MetadataOptions {
  /** Address for use in documents, whatever the request says. */
  readonly publicAddress: string | undefined;
  readonly testForm: TestForm;
  readonly server: ServerText | undefined;
  readonly readiness: (() => Promise<ServerState>) | undefined;
}

interface PublishedService {
  readonly contract: ServiceContract;
  readonly description: ServiceDescription;
  /** Undefined without help. */
  readonly help: ServiceHelp | undefined;
}

/** Kind of document: a service description, a discovery document, or a page. */
export type DocumentKind = 'wsdl' | 'disco' | 'page';

interface PublishedDocument {
  readonly kind: DocumentKind;
  readonly response: HttpResponse;
}

/**
 * Publishes the documents about the services: descriptions, discovery documents and pages (wire contract,
 * section 7).
 */
export class Metadata {
  readonly #options: MetadataOptions;
  readonly #publicAddress: PublicAddress | undefined;
  readonly #negotiation = new DocumentNegotiation();
  readonly #samples = new Map<OperationContract, readonly BindingSample[]>();

  constructor(options: MetadataOptions) {
    const { publicAddress } = options;
    this.#options = options;
    this.#publicAddress = publicAddress === undefined ? undefined : parsePublicAddress(publicAddress);
  }

  /** Answers a GET of an endpoint's own path. @param path the endpoint's path as requested */
  respond(service: PublishedService, request: Request, path: string, query: string): PublishedDocument {
    const { kind, response } = this.#choose(service, request, path, query);
    return { kind, response: this.#negotiation.negotiate(response, request.headers) };
  }

  async index(services: readonly PublishedService[], request: Request): Promise<HttpResponse> {
    const { server, readiness } = this.#options;
    return this.#negotiation.negotiate(indexPage(services, server, await readiness?.()), request.headers);
  }

  #choose(
    { contract, description, help }: PublishedService,
    request: Request,
    path: string,
    query: string,
  ): PublishedDocument {
    const parameters = readFormParameters(query);
    if (parameters === undefined) return { kind: 'page', response: notFound(TOO_MANY_PAIRS) };
    const { named, unnamed } = parameters;
    if (named.has('schema')) return { kind: 'wsdl', response: notFound('Schema not found.') };
    if (named.has('wsdl'))
      return { kind: 'wsdl', response: notFound('XML Web service description was not found.') };
    const address = this.#findAddress(path, request);
    switch (unnamed?.toLowerCase()) {
      case 'wsdl':
      case 'singlewsdl': // what WCF's tools ask for; the document is a single one anyway
        return { kind: 'wsdl', response: xml(description.publish(address.url)) };
      case 'disco':
        return { kind: 'disco', response: xml(writeDiscoveryDocument(contract, address.url)) };
    }
    const name = named.get('op');
    if (name === undefined) return { kind: 'page', response: servicePage(contract, help, address) };
    const operation = contract.operations.find((candidate) => candidate.name === name);
    const response =
      operation === undefined
        ? unknownOperationPage(contract, name, address)
        : operationPage(
            {
              service: contract,
              operation,
              help: help?.[operation.name],
              samples: this.#makeSamples(operation, contract.namespace),
            },
            address,
            this.#testFormFor(request),
          );
    return { kind: 'page', response };
  }

  #findAddress(path: string, request: Request): EndpointAddress {
    return endpointAddress(this.#publicAddress ?? readPublicAddress(request), path);
  }

  #makeSamples(operation: OperationContract, namespace: string): readonly BindingSample[] {
    const samples = this.#samples.get(operation) ?? bindingSamples(operation, namespace);
    this.#samples.set(operation, samples);
    return samples;
  }

  #testFormFor(request: Request): TestFormView {
    const { testForm } = this.#options;
    if (testForm === 'off') return 'none';
    return testForm === 'everyone' || isLocalCaller(request) ? 'form' : 'local-only';
  }
}

function xml(text: string): HttpResponse {
  return { status: 200, headers: XML_HEADERS, body: text };
}

function notFound(text: string): HttpResponse {
  return { status: 500, headers: textHeaders(CACHE_RESULT), body: `${text}\r\n`, reason: text };
}
