import type { Request } from 'express';
import type { WSDL } from 'soap';

import {
  type ClosableBinding,
  readContract,
  ServiceDescription,
  withNamespace,
  withoutBindings,
} from './contract/contract-reader';
import {
  type AttemptedCall,
  type Binding,
  ContractError,
  type OperationContract,
  type OperationHandlers,
  type ServiceContract,
} from './contract/operation';
import { checkHelp, type ServiceHelp } from './documents/help';
import { dangerousPathPage } from './documents/pages/error-page';
import { formResultWriter } from './form';
import { originForm, readRequestPath } from './http/request-path';
import type { HttpResponse } from './http/response';
import type { FormParameter, ServedOperation } from './served-operation';
import { EnvelopeReader } from './soap/envelope-reader';
import { loadDescription, openSoapService } from './soap/node-soap';
import { readSoapHead, SoapBinding, soapResultWriter } from './soap/soap-binding';
import { SOAP11, SOAP12 } from './soap/soap-fault';
import { compileFormReading } from './types/compiled-types';
import type { ReadingRules } from './types/plain-types';
import type { XmlLimits } from './xml/xml-syntax-error';

/** A service description and the handlers of its operations. */
export interface EndpointDefinition {
  /** Text of the WSDL document; its addresses give the endpoint's path. */
  readonly description: string;
  /** Handlers by operation name: exactly the operations of the description. */
  readonly handlers: OperationHandlers;
  /** HTTP bindings to withdraw from operations although the description has them, by operation. */
  readonly closed?: Readonly<Record<string, readonly ClosableBinding[]>>;
  /** Help for all operations and their parameters; default: the description's own documentation. */
  readonly help?: ServiceHelp | undefined;
  /** .NET namespace of the service's own types, as shown in messages; none if omitted. */
  readonly dotNetNamespace?: string;
}

/** An endpoint, ready to serve. */
export interface Endpoint {
  readonly contract: ServiceContract;
  readonly description: ServiceDescription;
  readonly help: ServiceHelp | undefined;
  readonly operations: ReadonlyMap<string, ServedOperation>;
  /** Bindings that offer at least one operation. */
  readonly bindings: ReadonlySet<Binding>;
  readonly soap: SoapBinding;
}

/** Reading and writing options that all endpoints of an installation share. */
interface EndpointOptions {
  /** Namespace to publish the description in; undefined for its own. */
  readonly namespace: string | undefined;
  readonly limits: XmlLimits;
  readonly rules: ReadingRules;
}

/** @throws ContractError when description, handlers and help do not fit each other */
export async function openEndpoint(
  { description, handlers, closed = {}, help, dotNetNamespace }: EndpointDefinition,
  { namespace, limits, rules }: EndpointOptions,
): Promise<Endpoint> {
  const { document, wsdl, contract } = await openDescription(withoutBindings(description, closed), namespace);
  for (const name of Object.keys(handlers)) {
    if (!contract.operations.some((operation) => operation.name === name)) {
      throw new ContractError(`The service description ${contract.name} lacks the operation ${name}.`);
    }
  }
  if (help !== undefined) checkHelp(contract, help);
  const service = openSoapService(wsdl, contract, handlers);
  const operations = new Map(
    service.operations.map(({ contract: operation, invoke }) => [
      operation.name,
      {
        contract: operation,
        formParameters: formParameters(contract, operation, rules, dotNetNamespace),
        invoke,
        writeResult: resultWriters(operation, contract.namespace, dotNetNamespace),
      },
    ]),
  );
  const reader = new EnvelopeReader(contract.namespace, limits, rules, contract.operations);
  return {
    contract,
    description: new ServiceDescription(document),
    help,
    operations,
    bindings: new Set(contract.operations.flatMap(({ bindings }) => [...bindings])),
    soap: new SoapBinding(reader, service, operations),
  };
}

interface OpenDescription {
  readonly document: string;
  readonly wsdl: WSDL;
  readonly contract: ServiceContract;
}

async function openDescription(document: string, namespace: string | undefined): Promise<OpenDescription> {
  const wsdl = await loadDescription(document);
  const contract = readContract(wsdl);
  if (namespace === undefined || namespace === contract.namespace) return { document, wsdl, contract };
  return openDescription(withNamespace(document, contract.namespace, namespace), undefined);
}

function formParameters(
  { name: service }: ServiceContract,
  { name: operation, parameters, bindings }: OperationContract,
  rules: ReadingRules,
  dotNetNamespace: string | undefined,
): readonly FormParameter[] {
  if (!bindings.has('get') && !bindings.has('post')) return [];
  return parameters.map(({ name, type }) => {
    const reading = compileFormReading(type, rules, dotNetNamespace);
    if (reading !== undefined) return { name, key: name.toLowerCase(), ...reading };
    throw new ContractError(
      `The service description ${service} cannot be served: the parameter ${name} of ${operation} is of type ${type.name}, which cannot come over HTTP GET and POST.`,
    );
  });
}

function resultWriters(
  operation: OperationContract,
  namespace: string,
  dotNetNamespace: string | undefined,
): ServedOperation['writeResult'] {
  const writeForm = formResultWriter(operation, namespace, dotNetNamespace);
  return {
    soap11: soapResultWriter(SOAP11, operation, namespace, dotNetNamespace),
    soap12: soapResultWriter(SOAP12, operation, namespace, dotNetNamespace),
    get: writeForm,
    post: writeForm,
  };
}

export interface Route {
  readonly endpoint: Endpoint;
  /** The endpoint's path as requested. */
  readonly path: string;
  /** Rest of the path: empty, or beginning with a slash. */
  readonly pathInfo: string;
  readonly operation: ServedOperation | undefined;
}

/** Finds the endpoint of a path, as Windows and ASP.NET do (wire contract, section 1). */
export class Routes {
  readonly #endpoints: ReadonlyMap<string, Endpoint>;
  /** Routes by canonical path, so that a correctly written path costs one look-up. */
  readonly #written: ReadonlyMap<string, Route>;

  constructor(endpoints: readonly Endpoint[]) {
    this.#endpoints = new Map(endpoints.map((endpoint) => [endpoint.contract.path.toLowerCase(), endpoint]));
    this.#written = new Map(endpoints.flatMap(writtenRoutes));
  }

  /**
   * @param path as requested, without the query
   * @returns an answer if the path is refused, undefined if it belongs to no endpoint
   */
  find(path: string): Route | HttpResponse | undefined {
    return this.#written.get(path) ?? this.#resolve(path);
  }

  #resolve(path: string): Route | HttpResponse | undefined {
    const read = readRequestPath(path);
    if (read === undefined) return undefined;
    const endpoint = this.#endpoints.get(read.path.toLowerCase());
    if (endpoint === undefined) return undefined;
    if (read.isDangerous) return dangerousPathPage;
    const operation = endpoint.operations.get(read.pathInfo.slice(1));
    return { endpoint, path: read.path, pathInfo: read.pathInfo, operation };
  }
}

function writtenRoutes(endpoint: Endpoint): [string, Route][] {
  const { path } = endpoint.contract;
  return [
    [path, { endpoint, path, pathInfo: '', operation: undefined }],
    ...[...endpoint.operations].map(([name, operation]): [string, Route] => [
      `${path}/${name}`,
      { endpoint, path, pathInfo: `/${name}`, operation },
    ]),
  ];
}

/** Purpose of a request: a call, a document of an endpoint (its description, its pages), or neither. */
export type RequestPurpose = AttemptedCall | 'document' | undefined;

/** Recognizes what requests are for without serving them, for code that forwards them. */
export class Recognition {
  readonly #routes: Routes;

  constructor(endpoints: readonly Endpoint[]) {
    this.#routes = new Routes(endpoints);
  }

  /** Recognizes a request by its head alone. */
  byHead(request: Request): RequestPurpose {
    const route = this.#findRoute(request);
    if (route === undefined) return readPath(request) === '/' ? 'document' : undefined;
    const { method } = request;
    if (route.pathInfo === '') {
      return method === 'POST' ? route.endpoint.soap.attempt(readSoapHead(request)) : 'document';
    }
    const binding = method === 'GET' ? 'get' : method === 'POST' ? 'post' : undefined;
    const operation = route.operation?.contract;
    if (binding === undefined || operation?.bindings.has(binding) !== true) return 'document';
    return { operation: operation.name, bindings: [binding] };
  }

  /** Recognizes a SOAP call by its body when its head does not name the operation. */
  byBody(request: Request, body: Buffer): AttemptedCall {
    const head = readSoapHead(request);
    const soap = this.#findRoute(request)?.endpoint.soap;
    const read = soap?.read(head, body);
    if (read !== undefined && 'invocation' in read) {
      const { operation, binding } = read.invocation;
      return { operation: operation.contract.name, bindings: [binding] };
    }
    return { operation: undefined, bindings: soap?.attempt(head).bindings ?? ['soap11'] };
  }

  #findRoute(request: Request): Route | undefined {
    const route = this.#routes.find(readPath(request));
    return route === undefined || 'status' in route ? undefined : route;
  }
}

function readPath(request: Request): string {
  const url = originForm(request.url);
  const queryStart = url.indexOf('?');
  return queryStart < 0 ? url : url.slice(0, queryStart);
}
