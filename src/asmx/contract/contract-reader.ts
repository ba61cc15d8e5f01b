import type { Binding } from './operation';
import {
  ContractError,
  type OperationContract,
  type ParameterContract,
  type ResultContract,
  type ServiceContract,
} from './service-contract';
import { readXmlElement, type XmlElement } from '../xml';

const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
const SCHEMA = 'http://www.w3.org/2001/XMLSchema';
const SOAP11 = 'http://schemas.xmlsoap.org/wsdl/soap/';
const SOAP12 = 'http://schemas.xmlsoap.org/wsdl/soap12/';
const HTTP = 'http://schemas.xmlsoap.org/wsdl/http/';
const MICROSOFT_TYPES = 'http://microsoft.com/wsdl/types/';

/**
 * Reads a service description (document/literal wrapped, as ASP.NET publishes it) into the contract that the
 * bindings work from.
 *
 * @param text the WSDL 1.1 document
 * @throws ContractError when the document is not well-formed, or holds something that cannot be served
 */
export function readContract(text: string): ServiceContract {
  let document: XmlElement;
  try {
    document = readXmlElement(text);
  } catch (error) {
    throw new ContractError(`The service description is not well-formed XML: ${messageOf(error)}`);
  }
  if (document.namespace !== WSDL || document.name !== 'definitions') {
    throw new ContractError('The document is not a service description: its root is not wsdl:definitions.');
  }
  return new ContractReader(document).read();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

class ContractReader {
  readonly #document: XmlElement;
  readonly #service: XmlElement;
  readonly #serviceName: string;

  constructor(document: XmlElement) {
    this.#document = document;
    const service = document.children.find((child) => is(child, WSDL, 'service'));
    if (service === undefined) throw new ContractError('The service description has no service.');
    this.#service = service;
    this.#serviceName = this.#attribute(service, 'name');
  }

  read(): ServiceContract {
    const offered = this.#offeredBindings();
    const operations = [...offered].map(([name, bindings]) => this.#operation(name, bindings));
    if (operations.length === 0) throw this.#error('it has no operation');
    return {
      name: this.#serviceName,
      path: this.#path(),
      namespace: this.#attribute(this.#document, 'targetNamespace'),
      operations,
    };
  }

  #path(): string {
    const addresses = this.#ports().map((port) => this.#attribute(this.#address(port), 'location'));
    const [first = ''] = addresses;
    if (addresses.some((address) => address !== first))
      throw this.#error('its ports have different addresses');
    if (!URL.canParse(first)) throw this.#error(`its address is not a URL: ${first}`);
    return new URL(first).pathname;
  }

  #ports(): readonly XmlElement[] {
    return this.#service.children.filter((child) => is(child, WSDL, 'port'));
  }

  #address(port: XmlElement): XmlElement {
    const address = port.children.find((child) => child.name === 'address');
    if (address === undefined) throw this.#error(`its port ${this.#attribute(port, 'name')} has no address`);
    return address;
  }

  /** Operation names, in the order of the first port, each with the bindings that offer it. */
  #offeredBindings(): Map<string, Set<Binding>> {
    const offered = new Map<string, Set<Binding>>();
    for (const port of this.#ports()) {
      const binding = this.#named('binding', localName(this.#attribute(port, 'binding')));
      const kind = this.#bindingKind(binding);
      for (const operation of binding.children.filter((child) => is(child, WSDL, 'operation'))) {
        const name = this.#attribute(operation, 'name');
        offered.set(name, (offered.get(name) ?? new Set()).add(kind));
      }
    }
    return offered;
  }

  #bindingKind(binding: XmlElement): Binding {
    for (const child of binding.children) {
      if (child.name !== 'binding') continue;
      if (child.namespace === SOAP11) return 'soap11';
      if (child.namespace === SOAP12) return 'soap12';
      if (child.namespace === HTTP) return this.#attribute(child, 'verb') === 'GET' ? 'get' : 'post';
    }
    throw this.#error(`its binding ${this.#attribute(binding, 'name')} is neither SOAP nor HTTP`);
  }

  #operation(name: string, bindings: ReadonlySet<Binding>): OperationContract {
    const portType = this.#named('portType', `${this.#serviceName}Soap`);
    const operation = portType.children.find(
      (child) => is(child, WSDL, 'operation') && child.attributes.get('name') === name,
    );
    if (operation === undefined) throw this.#error(`its SOAP port type lacks the operation ${name}`);
    const request = this.#messageElement(operation, 'input');
    const response = this.#messageElement(operation, 'output');
    return {
      name,
      parameters: this.#sequence(request).map((element) => this.#parameter(element)),
      responseElement: this.#attribute(response, 'name'),
      result: this.#result(response),
      bindings,
    };
  }

  #messageElement(operation: XmlElement, direction: 'input' | 'output'): XmlElement {
    const use = operation.children.find((child) => is(child, WSDL, direction));
    if (use === undefined) {
      throw this.#error(`the operation ${this.#attribute(operation, 'name')} has no ${direction}`);
    }
    const message = this.#named('message', localName(this.#attribute(use, 'message')));
    const part = message.children.find((child) => is(child, WSDL, 'part'));
    if (part === undefined) throw this.#error(`its message ${this.#attribute(message, 'name')} has no part`);
    return this.#schemaItem('element', localName(this.#attribute(part, 'element')));
  }

  #parameter(element: XmlElement): ParameterContract {
    const name = this.#attribute(element, 'name');
    const [namespace, type] = this.#typeOf(element);
    if (namespace === SCHEMA && type === 'string') return { name, type: 'string' };
    if (namespace === MICROSOFT_TYPES && type === 'char') return { name, type: 'char' };
    throw this.#error(`the parameter ${name} is of type ${type}, and only string and char are served`);
  }

  #result(response: XmlElement): ResultContract {
    const [element] = this.#sequence(response);
    if (element === undefined) return { kind: 'none' };
    const name = this.#attribute(element, 'name');
    const [namespace, type] = this.#typeOf(element);
    if (namespace === SCHEMA && type === 'string') return { kind: 'string', element: name, root: 'string' };
    const [item] = this.#sequenceOf(this.#schemaItem('complexType', type));
    if (item?.attributes.get('maxOccurs') !== 'unbounded') {
      throw this.#error(`the result ${name} is neither a string nor a list`);
    }
    const [, itemType] = this.#typeOf(item);
    const fields = this.#sequenceOf(this.#schemaItem('complexType', itemType));
    return {
      kind: 'list',
      element: name,
      root: type,
      item: this.#attribute(item, 'name'),
      fields: fields.map((field) => this.#attribute(field, 'name')),
    };
  }

  /** The elements inside an element's anonymous type. */
  #sequence(element: XmlElement): readonly XmlElement[] {
    const type = element.children.find((child) => is(child, SCHEMA, 'complexType'));
    return type === undefined ? [] : this.#sequenceOf(type);
  }

  #sequenceOf(complexType: XmlElement): readonly XmlElement[] {
    const sequence = complexType.children.find((child) => is(child, SCHEMA, 'sequence'));
    return sequence?.children.filter((child) => is(child, SCHEMA, 'element')) ?? [];
  }

  #typeOf(element: XmlElement): [namespace: string, name: string] {
    const type = this.#attribute(element, 'type');
    const [prefix = ''] = type.includes(':') ? type.split(':') : [''];
    return [element.prefixes[prefix] ?? '', localName(type)];
  }

  #schemaItem(kind: 'element' | 'complexType', name: string): XmlElement {
    const types = this.#document.children.find((child) => is(child, WSDL, 'types'));
    for (const schema of types?.children ?? []) {
      const item = schema.children.find(
        (child) => is(child, SCHEMA, kind) && child.attributes.get('name') === name,
      );
      if (item !== undefined) return item;
    }
    throw this.#error(`its schema lacks the ${kind} ${name}`);
  }

  #named(kind: string, name: string): XmlElement {
    const found = this.#document.children.find(
      (child) => is(child, WSDL, kind) && child.attributes.get('name') === name,
    );
    if (found === undefined) throw this.#error(`it lacks the ${kind} ${name}`);
    return found;
  }

  #attribute(element: XmlElement, name: string): string {
    const value = element.attributes.get(name);
    if (value === undefined) throw this.#error(`an element ${element.name} lacks the attribute ${name}`);
    return value;
  }

  #error(what: string): ContractError {
    return new ContractError(`The service description ${this.#serviceName} cannot be served: ${what}.`);
  }
}

function is(element: XmlElement, namespace: string, name: string): boolean {
  return element.namespace === namespace && element.name === name;
}

function localName(qualified: string): string {
  return qualified.slice(qualified.indexOf(':') + 1);
}
