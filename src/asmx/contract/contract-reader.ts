import type { WSDL } from 'soap';

import { escapeAttribute } from '../xml/xml-characters';
import { type Binding, ContractError, type OperationContract, type ServiceContract } from './operation';
import { findChild, type SchemaNode, type SchemaTypes, TypeReader } from './type-reader';

/**
 * Returns the SOAP action of an operation: namespace, one slash, name, whether or not the namespace ends in a
 * slash.
 */
export function soapAction(namespace: string, operation: string): string {
  return `${namespace.replace(/\/$/, '')}/${operation}`;
}

/**
 * Puts another namespace into a service description, soapAction values included.
 *
 * @param own namespace of the document
 */
export function withNamespace(document: string, own: string, namespace: string): string {
  // The operation name at the end of an action is an XML name and needs no escaping.
  const actionsIn = (uri: string): string => `soapAction="${escapeAttribute(soapAction(uri, ''))}`;
  return document
    .replaceAll(actionsIn(own), () => actionsIn(namespace))
    .replaceAll(`"${escapeAttribute(own)}"`, () => `"${escapeAttribute(namespace)}"`);
}

/** A service description, ready to be published under any address. */
export class ServiceDescription {
  readonly #pieces: readonly string[];

  /** @param document the document in the installation's namespace, with absolute addresses */
  constructor(document: string) {
    // Addresses are absolute; an http:operation's location ("/AuthCode") is not one.
    this.#pieces = document.split(/(?<= location=")[a-z]+:\/\/[^"]*(?=")/);
  }

  /** @param address absolute URL of the endpoint */
  publish(address: string): string {
    return this.#pieces.join(escapeAttribute(address));
  }
}

/**
 * Bindings that an operation can be closed for, with the part of port, port type and message names that marks
 * them.
 */
const PARTS = { get: 'HttpGet', post: 'HttpPost' } as const;

export type ClosableBinding = keyof typeof PARTS;

/**
 * Removes operations from bindings of a service description, and bindings left empty: the document that
 * ASP.NET would publish for a service without them.
 *
 * @param closed bindings by operation
 */
export function withoutBindings(
  document: string,
  closed: Readonly<Record<string, readonly ClosableBinding[]>>,
): string {
  const cuts = Object.entries(closed).flatMap(([operation, bindings]) =>
    bindings.map((binding) => ({ operation, part: PARTS[binding] })),
  );
  const left = cuts.reduce(
    (text, { operation, part }) =>
      ['portType', 'binding']
        .reduce((whole, section) => cutOperation(whole, section, part, operation), text)
        .replace(elementPattern('message', `${operation}${part}In`), '')
        .replace(elementPattern('message', `${operation}${part}Out`), ''),
    document,
  );
  return Object.values(PARTS).reduce(cutEmptyPort, left);
}

function cutOperation(document: string, section: string, part: string, operation: string): string {
  return document.replace(elementPattern(section, `\\w+${part}`), (element) =>
    element.replace(elementPattern('operation', operation), ''),
  );
}

function cutEmptyPort(document: string, part: string): string {
  const portType = elementPattern('portType', `\\w+${part}`).exec(document)?.[0];
  if (portType === undefined || portType.includes('operation')) return document;
  return ['portType', 'binding', 'port'].reduce(
    (text, name) => text.replace(elementPattern(name, `\\w+${part}`), ''),
    document,
  );
}

/**
 * Matches a WSDL element by its name, with the blanks before it; its content may not contain the same
 * element.
 */
function elementPattern(element: string, name: string): RegExp {
  return new RegExp(
    `[ \\t]*<wsdl:${element} name="${name}"(?:[^>]*/>|[^>]*>[^]*?</wsdl:${element}>)[ \\t]*\\r?\\n?`,
  );
}

/**
 * Bindings by the ending of their ports' names (wire contract, section 8.1); node-soap's model leaves out the
 * HTTP bindings.
 */
const PORTS: readonly (readonly [ending: string, binding: Binding])[] = [
  ['Soap12', 'soap12'],
  ['Soap', 'soap11'],
  ['HttpGet', 'get'],
  ['HttpPost', 'post'],
];

type Definitions = WSDL['definitions'];
type Service = Definitions['services'][string];

/**
 * Extracts the contract that the bindings work from out of node-soap's model.
 *
 * @throws ContractError when the description holds something that cannot be served
 */
export function readContract({ definitions }: WSDL): ServiceContract {
  const [found] = Object.entries(definitions.services);
  if (found === undefined) throw new ContractError('The service description has no service.');
  return new ContractReader(definitions, ...found).read();
}

class ContractReader {
  readonly #definitions: Definitions;
  readonly #serviceName: string;
  readonly #namespace: string;
  readonly #types: TypeReader;
  /** Location by port name, in the order SOAP, then HTTP. */
  readonly #locations: ReadonlyMap<string, unknown>;

  constructor(definitions: Definitions, serviceName: string, service: Service) {
    this.#definitions = definitions;
    this.#serviceName = serviceName;
    this.#locations = readLocations(service);
    // node-soap types it as any; a document without one has no namespace to serve.
    this.#namespace = this.#required(definitions.$targetNamespace as string | undefined, 'a targetNamespace');
    const schema = (definitions.schemas as Readonly<Record<string, SchemaTypes | undefined>>)[
      this.#namespace
    ];
    this.#types = new TypeReader(serviceName, this.#namespace, schema);
  }

  read(): ServiceContract {
    const operations = [...this.#offeredBindings()].map(([name, bindings]) =>
      this.#operation(name, bindings),
    );
    if (operations.length === 0) throw this.#error('it has no operation');
    return {
      name: this.#serviceName,
      path: this.#path(),
      namespace: this.#namespace,
      operations,
    };
  }

  #path(): string {
    const [first, ...others] = this.#locations.values();
    if (typeof first !== 'string' || !URL.canParse(first)) {
      throw this.#error(`its address is not a URL: ${String(first)}`);
    }
    if (others.some((location) => location !== first))
      throw this.#error('its ports have different addresses');
    return new URL(first).pathname;
  }

  /** Operation names, in the order of the port types, each with the bindings that offer it. */
  #offeredBindings(): Map<string, Set<Binding>> {
    const offered = new Map<string, Set<Binding>>();
    for (const port of this.#locations.keys()) {
      const binding = PORTS.find(([ending]) => port === this.#serviceName + ending)?.[1];
      if (binding === undefined)
        throw this.#error(`its port ${port} is neither for SOAP nor for HTTP by its name`);
      for (const name of this.#operationNames(port, binding)) {
        offered.set(name, (offered.get(name) ?? new Set()).add(binding));
      }
    }
    return offered;
  }

  #operationNames(port: string, binding: Binding): readonly string[] {
    const { services, portTypes } = this.#definitions;
    if (binding === 'soap11' || binding === 'soap12') {
      const { methods = {} } = services[this.#serviceName]?.ports[port]?.binding ?? {};
      for (const [name, method] of Object.entries(methods)) this.#requireLiteral(name, method);
      return Object.keys(methods);
    }
    // ASP.NET names a port, its binding and its port type alike.
    const { children = [] } = this.#required(portTypes[port], `the port type ${port}`) as SchemaNode;
    return children.flatMap(({ name, $name }) =>
      name === 'operation' && $name !== undefined ? [$name] : [],
    );
  }

  /**
   * Refuses SOAP encoding and headers, which are not served. node-soap does not type a binding's description
   * of a message.
   */
  #requireLiteral(
    name: string,
    { style, inputSoap, outputSoap }: { style?: string; inputSoap?: unknown; outputSoap?: unknown },
  ): void {
    if (style === 'rpc') throw this.#error(`the operation ${name} is of the style rpc`);
    for (const [message, said] of [
      ['request', inputSoap],
      ['response', outputSoap],
    ] as const) {
      const { use, children = [] } = (said ?? {}) as { use?: string; children?: readonly SchemaNode[] };
      if (use === 'encoded') throw this.#error(`the ${message} of ${name} is encoded`);
      if (children.some((child) => child.name === 'header'))
        throw this.#error(`the ${message} of ${name} has SOAP headers`);
    }
  }

  #operation(name: string, bindings: ReadonlySet<Binding>): OperationContract {
    const portType = this.#definitions.portTypes[`${this.#serviceName}Soap`];
    const method = this.#required(portType?.methods[name], `the operation ${name} in its SOAP port type`);
    // For a message without its part, node-soap sets null or the message itself.
    const request: SchemaNode = this.#required(method.input, `an element for the request of ${name}`);
    const response: SchemaNode = this.#required(method.output, `an element for the response of ${name}`);
    const parameters = this.#types.message(findChild(request, 'complexType'), `the request of ${name}`);
    const [result, ...others] = this.#types.message(
      findChild(response, 'complexType'),
      `the response of ${name}`,
    );
    if (others.length > 0) throw this.#error(`the response of ${name} has more than one result`);
    return {
      name,
      parameters,
      responseElement: this.#required(response.$name, `a name for the response of ${name}`),
      result,
      bindings,
    };
  }

  #required<T>(value: T | null | undefined, what: string): T {
    if (value === null || value === undefined) throw this.#error(`it lacks ${what}`);
    return value;
  }

  #error(what: string): ContractError {
    return new ContractError(`The service description ${this.#serviceName} cannot be served: ${what}.`);
  }
}

// node-soap removes the SOAP ports from a service's children; the HTTP ports stay.
function readLocations(service: Service): ReadonlyMap<string, unknown> {
  const { children = [] } = service as SchemaNode;
  return new Map([
    ...Object.entries(service.ports).map(([name, { location }]): [string, unknown] => [name, location]),
    ...children.flatMap(({ name, $name, location }): [string, unknown][] =>
      name === 'port' && $name !== undefined ? [[$name, location]] : [],
    ),
  ]);
}
