import type { XmlNode } from '../trees';
import { type Fact, fact, plainFact } from './facts';
import { attributeOf, localOf, SCHEMA, Schemas } from './schemas';

const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
/** Bindings by the namespace of what extends them. */
const KINDS: Readonly<Record<string, string>> = {
  'http://schemas.xmlsoap.org/wsdl/soap/': 'SOAP 1.1',
  'http://schemas.xmlsoap.org/wsdl/soap12/': 'SOAP 1.2',
  'http://schemas.xmlsoap.org/wsdl/http/': 'HTTP',
};

/**
 * What a service description says to those who call by it: for each binding its address, for each operation its
 * action, its parameters and its result. Names of ports, bindings and messages are the description's own.
 *
 * @returns undefined for a document that is none
 */
export function readFacts(root: XmlNode): Fact | undefined {
  if (root.namespace !== WSDL || root.local !== 'definitions') return undefined;
  return new Description(root).facts();
}

class Description {
  readonly #root: XmlNode;
  readonly #namespace: string;
  readonly #schemas: Schemas;

  constructor(root: XmlNode) {
    this.#root = root;
    this.#namespace = attributeOf(root, 'targetNamespace') ?? '';
    const types = root.children.filter(isWsdl('types'));
    this.#schemas = new Schemas(
      types.flatMap(({ children }) =>
        children.filter(({ local, namespace }) => local === 'schema' && namespace === SCHEMA),
      ),
    );
  }

  facts(): Fact {
    const services = this.#root.children.filter(isWsdl('service')).map((service): readonly [string, Fact] => {
      const ports = service.children.filter(isWsdl('port')).map((port) => this.#port(port));
      return [attributeOf(service, 'name') ?? '', fact(ports)];
    });
    return fact([['targetNamespace', plainFact(this.#namespace)], ...services]);
  }

  #port(port: XmlNode): readonly [string, Fact] {
    const address = extension(port, 'address');
    const binding = this.#find('binding', attributeOf(port, 'binding'));
    const bound = binding === undefined ? undefined : extension(binding, 'binding');
    const portType = this.#find('portType', binding && attributeOf(binding, 'type'));
    const location = (address && attributeOf(address, 'location')) ?? '';
    const operations = binding?.children.filter(isWsdl('operation')) ?? [];
    const style = bound && attributeOf(bound, 'style');
    return [
      kindOf(bound),
      fact([
        // Each server names its own host.
        ['address', plainFact(location.replace(/^https?:\/\/[^/?#]*/i, ''))],
        [
          'transport',
          plainFact((bound && (attributeOf(bound, 'transport') ?? attributeOf(bound, 'verb'))) ?? ''),
        ],
        ...operations.map((operation) => this.#operation(operation, portType, style ?? 'document')),
      ]),
    ];
  }

  #operation(bound: XmlNode, portType: XmlNode | undefined, style: string): readonly [string, Fact] {
    const name = attributeOf(bound, 'name') ?? '';
    const abstract = portType?.children.find(
      (child) => isWsdl('operation')(child) && attributeOf(child, 'name') === name,
    );
    const extended = extension(bound, 'operation');
    const stated = (attribute: string): readonly (readonly [string, Fact])[] => {
      const value = extended && attributeOf(extended, attribute);
      return value === undefined ? [] : [[attribute, plainFact(value)]];
    };
    return [
      name,
      fact([
        ...stated('soapAction'),
        ...stated('location'),
        ['style', plainFact((extended && attributeOf(extended, 'style')) ?? style)],
        ...(['input', 'output'] as const).map((way): readonly [string, Fact] => [
          way,
          this.#message(bound.children.find(isWsdl(way)), abstract?.children.find(isWsdl(way))),
        ]),
      ]),
    ];
  }

  /** What goes one way: how it is written, and the shapes of its parts. */
  #message(bound: XmlNode | undefined, abstract: XmlNode | undefined): Fact {
    const written = (bound?.children ?? []).filter(({ namespace }) => namespace !== WSDL).map(extensionText);
    const message = this.#find('message', abstract && attributeOf(abstract, 'message'));
    const parts = message?.children.filter(isWsdl('part')) ?? [];
    return fact(
      parts.map((part): readonly [string, Fact] => {
        const element = attributeOf(part, 'element');
        const shape =
          element === undefined
            ? this.#schemas.type(attributeOf(part, 'type') ?? '')
            : this.#schemas.element(element);
        // The name of a part with an element is not on the wire.
        return [element === undefined ? (attributeOf(part, 'name') ?? '') : localOf(element), shape];
      }),
      written.sort().join(' '),
      true,
    );
  }

  #find(kind: string, name: string | undefined): XmlNode | undefined {
    if (name === undefined) return undefined;
    return this.#root.children.find(
      (child) => isWsdl(kind)(child) && `{${this.#namespace}}${attributeOf(child, 'name') ?? ''}` === name,
    );
  }
}

function extensionText({ local, attributes }: XmlNode): string {
  const stated = attributes
    .filter((attribute) => attribute.local !== 'part')
    .map(({ local: name, value }) => `${name}=${value}`);
  return [local, ...stated].join(' ');
}

function kindOf(bound: XmlNode | undefined): string {
  const kind = KINDS[bound?.namespace ?? ''] ?? 'unknown';
  return kind === 'HTTP' ? ((bound && attributeOf(bound, 'verb')) ?? kind) : kind;
}

function isWsdl(local: string): (node: XmlNode) => boolean {
  return (node) => node.local === local && node.namespace === WSDL;
}

/** What a binding's own namespace adds. */
function extension({ children }: XmlNode, local: string): XmlNode | undefined {
  return children.find((child) => child.local === local && child.namespace !== WSDL);
}
