import { WSDL } from 'soap';
import { XmlReader } from '../xml';
import type { Binding } from './operation';
import {
  ContractError,
  type OperationContract,
  type ParameterContract,
  type ResultContract,
  type ServiceContract,
} from './service-contract';

const SCHEMA = 'http://www.w3.org/2001/XMLSchema';
const MICROSOFT_TYPES = 'http://microsoft.com/wsdl/types/';

/**
 * What the name of a port ends with says of its binding (wire contract, section 8.1); the bindings for HTTP are
 * not in node-soap's model.
 */
const PORTS: readonly (readonly [ending: string, binding: Binding])[] = [
  ['Soap12', 'soap12'],
  ['Soap', 'soap11'],
  ['HttpGet', 'get'],
  ['HttpPost', 'post'],
];

type Definitions = WSDL['definitions'];
type Service = Definitions['services'][string];

/** An element of the model, seen as what it was in the document. Attributes have a dollar sign before their names. */
interface Node {
  readonly name?: string;
  readonly $name?: string;
  readonly $type?: string;
  readonly $maxOccurs?: string;
  readonly location?: unknown;
  readonly children?: readonly Node[];
  /** Namespaces by prefix: those declared on the element, on its schema and on the document's root. */
  readonly xmlns?: Prefixes;
  readonly schemaXmlns?: Prefixes;
  readonly definitionsXmlns?: Prefixes;
}

type Prefixes = Readonly<Record<string, string | undefined>>;

/**
 * Loads a service description (WSDL 1.1, document/literal wrapped, as ASP.NET publishes it) into node-soap's model.
 *
 * @throws ContractError when it is not well-formed, or node-soap cannot load it
 */
export function loadDescription(document: string): Promise<WSDL> {
  return new Promise((resolve, reject) => {
    refuseMalformed(document);
    const wsdl = new WSDL(document, '', {});
    wsdl.onReady((error: unknown) => {
      if (error === undefined || error === null) resolve(wsdl);
      else reject(new ContractError(`The service description cannot be loaded: ${messageOf(error)}`));
    });
  });
}

// node-soap takes a document whose end is missing.
function refuseMalformed(document: string): void {
  const ignore = (): void => undefined;
  const reader = new XmlReader({
    startElement: ignore,
    endElement: ignore,
    characters: ignore,
    interruption: ignore,
  });
  try {
    reader.read(document);
  } catch (error) {
    throw new ContractError(`The service description is not well-formed XML: ${messageOf(error)}`);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Reads from node-soap's model the contract that the bindings work from.
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
  /** Location by port name, in the order SOAP, then HTTP. */
  readonly #locations: ReadonlyMap<string, unknown>;

  constructor(definitions: Definitions, serviceName: string, service: Service) {
    this.#definitions = definitions;
    this.#serviceName = serviceName;
    this.#locations = locationsOf(service);
  }

  read(): ServiceContract {
    const operations = [...this.#offeredBindings()].map(([name, bindings]) =>
      this.#operation(name, bindings),
    );
    if (operations.length === 0) throw this.#error('it has no operation');
    return {
      name: this.#serviceName,
      path: this.#path(),
      // node-soap types it as any; a document without one has no namespace to serve.
      namespace: this.#required(
        this.#definitions.$targetNamespace as string | undefined,
        'a targetNamespace',
      ),
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
      return Object.keys(services[this.#serviceName]?.ports[port]?.binding.methods ?? {});
    }
    // ASP.NET names a port, its binding and its port type alike.
    const { children = [] } = this.#required(portTypes[port], `the port type ${port}`) as Node;
    return children.flatMap(({ name, $name }) =>
      name === 'operation' && $name !== undefined ? [$name] : [],
    );
  }

  #operation(name: string, bindings: ReadonlySet<Binding>): OperationContract {
    const portType = this.#definitions.portTypes[`${this.#serviceName}Soap`];
    const method = this.#required(portType?.methods[name], `the operation ${name} in its SOAP port type`);
    // Where a message is without its part, node-soap puts null or the message itself.
    const request: Node = this.#required(method.input, `an element for the request of ${name}`);
    const response: Node = this.#required(method.output, `an element for the response of ${name}`);
    return {
      name,
      parameters: sequence(childOf(request, 'complexType')).map((element) => this.#parameter(element)),
      responseElement: this.#required(response.$name, `a name for the response of ${name}`),
      result: this.#result(response),
      bindings,
    };
  }

  #parameter(element: Node): ParameterContract {
    const name = this.#required(element.$name, 'the name of a parameter');
    const [namespace, type] = typeOf(element);
    if (namespace === SCHEMA && type === 'string') return { name, type: 'string' };
    if (namespace === MICROSOFT_TYPES && type === 'char') return { name, type: 'char' };
    throw this.#error(`the parameter ${name} is of type ${type}, and only string and char are served`);
  }

  #result(response: Node): ResultContract {
    const [element] = sequence(childOf(response, 'complexType'));
    if (element === undefined) return { kind: 'none' };
    const name = this.#required(element.$name, 'the name of a result');
    const [namespace, type] = typeOf(element);
    if (namespace === SCHEMA && type === 'string') return { kind: 'string', element: name, root: 'string' };
    const [item] = sequence(this.#complexType(namespace, type));
    if (item?.$maxOccurs !== 'unbounded')
      throw this.#error(`the result ${name} is neither a string nor a list`);
    return {
      kind: 'list',
      element: name,
      root: type,
      item: this.#required(item.$name, `the name of the items of ${type}`),
      fields: sequence(this.#complexType(...typeOf(item))).map(({ $name }) =>
        this.#required($name, `the name of a field of ${type}`),
      ),
    };
  }

  #complexType(namespace: string, name: string): Node {
    return this.#required(
      this.#definitions.schemas[namespace]?.complexTypes[name],
      `the complexType ${name}`,
    );
  }

  #required<T>(value: T | null | undefined, what: string): T {
    if (value === null || value === undefined) throw this.#error(`it lacks ${what}`);
    return value;
  }

  #error(what: string): ContractError {
    return new ContractError(`The service description ${this.#serviceName} cannot be served: ${what}.`);
  }
}

// node-soap takes the ports for SOAP out of a service's children; those for HTTP stay.
function locationsOf(service: Service): ReadonlyMap<string, unknown> {
  const { children = [] } = service as Node;
  return new Map([
    ...Object.entries(service.ports).map(([name, { location }]): [string, unknown] => [name, location]),
    ...children.flatMap(({ name, $name, location }): [string, unknown][] =>
      name === 'port' && $name !== undefined ? [[$name, location]] : [],
    ),
  ]);
}

function childOf({ children = [] }: Node, name: string): Node | undefined {
  return children.find((child) => child.name === name);
}

/** The elements of a complexType's sequence. */
function sequence(complexType: Node | undefined): readonly Node[] {
  const found = complexType && childOf(complexType, 'sequence');
  return found?.children?.filter(({ name }) => name === 'element') ?? [];
}

function typeOf({
  $type = '',
  xmlns,
  schemaXmlns,
  definitionsXmlns,
}: Node): [namespace: string, name: string] {
  const [name = '', prefix = ''] = $type.split(':').reverse();
  return [xmlns?.[prefix] ?? schemaXmlns?.[prefix] ?? definitionsXmlns?.[prefix] ?? '', name];
}
