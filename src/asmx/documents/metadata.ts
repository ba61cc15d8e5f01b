import type { Request } from 'express';
import {
  type HttpResponse,
  responseHeaders,
  CACHE_RESULT,
  isLocalCaller,
  parsePublicAddress,
  type PublicAddress,
  readFormParameters,
  TOO_MANY_PAIRS,
  readPublicAddress,
  textHeaders,
} from '../http';
import { writeDiscoveryDocument } from './discovery-document';
import { DocumentNegotiation } from './document-negotiation';
import { bindingSamples, type BindingSample } from './pages/binding-samples';
import { endpointAddress, type EndpointAddress } from './pages/endpoint-address';
import { indexPage, type ServerState, type ServerText } from './pages/index-page';
import type { ServiceHelp } from './help';
import { operationPage, unknownOperationPage, type TestFormView } from './pages/operation-page';
import { servicePage } from './pages/service-page';
import type { TestForm } from './pages/test-form';
import type { OperationContract, ServiceContract, ServiceDescription } from '../contract';

const XML_HEADERS = responseHeaders(CACHE_RESULT, 'text/xml; charset=utf-8');

export interface MetadataOptions {
  /** Address that documents name, whatever the request says. */
  readonly publicAddress: string | undefined;
  readonly testForm: TestForm;
  readonly server: ServerText | undefined;
  readonly readiness: (() => Promise<ServerState>) | undefined;
}

/** A service, the description that is published of it, and what the pages say beside that. */
export interface PublishedService {
  readonly contract: ServiceContract;
  readonly description: ServiceDescription;
  /** Undefined where nothing is told. */
  readonly help: ServiceHelp | undefined;
}

/** What a document is: a service description, a discovery document, or a page. */
export type DocumentKind = 'wsdl' | 'disco' | 'page';

export interface PublishedDocument {
  readonly kind: DocumentKind;
  readonly response: HttpResponse;
}

/** Publishes what describes the services: descriptions, discovery documents and pages (wire contract, section 7). */
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

  /**
   * Answers a GET of an endpoint's own path.
   *
   * @param path the endpoint's path as requested
   */
  respond(service: PublishedService, request: Request, path: string, query: string): PublishedDocument {
    const { kind, response } = this.#choose(service, request, path, query);
    return { kind, response: this.#negotiation.negotiate(response, request.headers) };
  }

  /** The front page. */
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
    const address = this.#addressOf(path, request);
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
              samples: this.#samplesOf(operation, contract.namespace),
            },
            address,
            this.#testFormFor(request),
          );
    return { kind: 'page', response };
  }

  #addressOf(path: string, request: Request): EndpointAddress {
    return endpointAddress(this.#publicAddress ?? readPublicAddress(request), path);
  }

  #samplesOf(operation: OperationContract, namespace: string): readonly BindingSample[] {
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
