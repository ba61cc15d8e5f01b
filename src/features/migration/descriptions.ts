import type { HttpAnswer } from './messages';
import { Forest, readTree, type XmlNode } from './trees';
import { decodedBody } from './verdict/bodies';
import { type Difference, type Verdict, makeVerdict } from './verdict/verdict';

/**
 * Content of a service description by place, without prefixes, irrelevant order, and purely internal names.
 */
interface Fact {
  /** Omitted if only the parts below matter. */
  readonly value?: string;
  /** True if the order of the parts matters. */
  readonly isOrdered?: boolean;
  readonly below: ReadonlyMap<string, Fact>;
}

/** Creates a fact from its parts; the first of two parts with one name counts. */
function fact(
  parts: readonly (readonly [name: string, fact: Fact])[],
  value?: string,
  isOrdered = false,
): Fact {
  const below = new Map<string, Fact>();
  for (const [name, part] of parts) if (!below.has(name)) below.set(name, part);
  return { ...(value !== undefined && { value }), isOrdered, below };
}

/** Creates a fact without parts. */
function plainFact(value: string): Fact {
  return fact([], value);
}

const SCHEMA = 'http://www.w3.org/2001/XMLSchema';
/**
 * Maximum nesting of types, because a type may contain itself, and maximum total, because each may contain
 * many.
 */
const MAX_DEPTH = 12;
const MAX_TYPES = 20_000;

/** Schemas of a description: the forms of its elements and types for a caller. */
class Schemas {
  /** Global declarations by kind and `{namespace}name`. */
  readonly #declared = new Map<string, { readonly node: XmlNode; readonly schema: XmlNode }>();

  #followed = 0;

  constructor(schemas: readonly XmlNode[]) {
    for (const schema of schemas) {
      const namespace = findAttribute(schema, 'targetNamespace') ?? '';
      for (const node of schema.children) {
        const name = findAttribute(node, 'name');
        if (name !== undefined)
          this.#declared.set(`${schemaKind(node)} {${namespace}}${name}`, { node, schema });
      }
    }
  }

  /** Returns the form of a global element by its `{namespace}name`; only its name if it is not declared. */
  element(name: string): Fact {
    const found = this.#declared.get(`element ${name}`);
    return found === undefined ? plainFact(name) : this.#elementFact(found.node, found.schema, name, 0);
  }

  /** Returns the form of a type by its `{namespace}name`; only its name if it is not declared. */
  type(name: string, depth = 0): Fact {
    this.#followed += 1;
    const isBounded = depth < MAX_DEPTH && this.#followed < MAX_TYPES;
    const found = isBounded ? this.#declared.get(`type ${name}`) : undefined;
    if (found === undefined) return plainFact(name);
    // A type's name is the caller's class name, so another name is a difference.
    const content = this.#content(found.node, found.schema, depth);
    return { ...content, value: [name, content.value ?? ''].join(' ').trimEnd() };
  }

  #elementFact(node: XmlNode, schema: XmlNode, name: string, depth: number): Fact {
    const inline = node.children.find((child) => schemaKind(child) === 'type');
    const type = findAttribute(node, 'type');
    const shape =
      inline === undefined
        ? this.type(type ?? `{${SCHEMA}}anyType`, depth + 1)
        : this.#content(inline, schema, depth);
    const isNillable = ['true', '1'].includes(findAttribute(node, 'nillable') ?? '');
    const value = [name, shape.value ?? '', occurs(node), ...(isNillable ? ['nillable'] : [])];
    return { ...shape, value: value.filter((word) => word !== '').join(' ') };
  }

  /**
   * Returns the content of a type: elements, attributes, the type that it restricts or extends, its allowed
   * values.
   */
  #content(type: XmlNode, schema: XmlNode, depth: number): Fact {
    const parts: (readonly [string, Fact])[] = [];
    const words: string[] = [];
    const walk = (node: XmlNode): void => {
      for (const child of node.children) {
        if (child.namespace !== SCHEMA || child.local === 'annotation') continue;
        const name = findAttribute(child, 'name') ?? '';
        if (child.local === 'element') parts.push(this.#member(child, schema, depth));
        else if (child.local === 'attribute')
          parts.push([`@${name}`, plainFact(findAttribute(child, 'type') ?? '')]);
        else {
          const base = findAttribute(child, 'base');
          const value = findAttribute(child, 'value');
          if (base !== undefined) words.push(child.local, base);
          else if (value !== undefined) words.push(`${child.local}=${value}`);
          else if (
            child.local !== 'sequence' &&
            child.local !== 'simpleContent' &&
            child.local !== 'complexContent'
          ) {
            words.push(child.local);
          }
          walk(child);
        }
      }
    };
    walk(type);
    return fact(parts, words.join(' '), true);
  }

  /** Returns an element inside a type; it is in the schema's namespace if local elements are qualified. */
  #member(node: XmlNode, schema: XmlNode, depth: number): readonly [string, Fact] {
    const ref = findAttribute(node, 'ref');
    if (ref !== undefined) return [localName(ref), plainFact(`${ref} ${occurs(node)}`)];
    const local = findAttribute(node, 'name') ?? '';
    const form = findAttribute(node, 'form') ?? findAttribute(schema, 'elementFormDefault');
    const namespace = form === 'qualified' ? (findAttribute(schema, 'targetNamespace') ?? '') : '';
    return [local, this.#elementFact(node, schema, `{${namespace}}${local}`, depth)];
  }
}

function schemaKind({ local }: XmlNode): string {
  return local === 'complexType' || local === 'simpleType' ? 'type' : local;
}

function occurs(node: XmlNode): string {
  return `${findAttribute(node, 'minOccurs') ?? '1'}..${findAttribute(node, 'maxOccurs') ?? '1'}`;
}

function findAttribute({ attributes }: XmlNode, wanted: string): string | undefined {
  return attributes.find(({ local, namespace }) => local === wanted && namespace === '')?.value;
}

/** Returns the local name in `{namespace}name`. */
function localName(name: string): string {
  return name.slice(name.lastIndexOf('}') + 1);
}

const WSDL = 'http://schemas.xmlsoap.org/wsdl/';
/** Bindings by the namespace of their extension elements. */
const KINDS: Readonly<Record<string, string>> = {
  'http://schemas.xmlsoap.org/wsdl/soap/': 'SOAP 1.1',
  'http://schemas.xmlsoap.org/wsdl/soap12/': 'SOAP 1.2',
  'http://schemas.xmlsoap.org/wsdl/http/': 'HTTP',
};

class Description {
  readonly #root: XmlNode;
  readonly #namespace: string;
  readonly #schemas: Schemas;

  constructor(root: XmlNode) {
    this.#root = root;
    this.#namespace = findAttribute(root, 'targetNamespace') ?? '';
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
      return [findAttribute(service, 'name') ?? '', fact(ports)];
    });
    return fact([['targetNamespace', plainFact(this.#namespace)], ...services]);
  }

  #port(port: XmlNode): readonly [string, Fact] {
    const address = extension(port, 'address');
    const binding = this.#find('binding', findAttribute(port, 'binding'));
    const bound = binding === undefined ? undefined : extension(binding, 'binding');
    const portType = this.#find('portType', binding && findAttribute(binding, 'type'));
    const location = (address && findAttribute(address, 'location')) ?? '';
    const operations = binding?.children.filter(isWsdl('operation')) ?? [];
    const style = bound && findAttribute(bound, 'style');
    return [
      bindingKind(bound),
      fact([
        // Each server uses its own host.
        ['address', plainFact(location.replace(/^https?:\/\/[^/?#]*/i, ''))],
        [
          'transport',
          plainFact((bound && (findAttribute(bound, 'transport') ?? findAttribute(bound, 'verb'))) ?? ''),
        ],
        ...operations.map((operation) => this.#operation(operation, portType, style ?? 'document')),
      ]),
    ];
  }

  #operation(bound: XmlNode, portType: XmlNode | undefined, style: string): readonly [string, Fact] {
    const name = findAttribute(bound, 'name') ?? '';
    const abstract = portType?.children.find(
      (child) => isWsdl('operation')(child) && findAttribute(child, 'name') === name,
    );
    const extended = extension(bound, 'operation');
    const stated = (attribute: string): readonly (readonly [string, Fact])[] => {
      const value = extended && findAttribute(extended, attribute);
      return value === undefined ? [] : [[attribute, plainFact(value)]];
    };
    return [
      name,
      fact([
        ...stated('soapAction'),
        ...stated('location'),
        ['style', plainFact((extended && findAttribute(extended, 'style')) ?? style)],
        ...(['input', 'output'] as const).map((way): readonly [string, Fact] => [
          way,
          this.#message(bound.children.find(isWsdl(way)), abstract?.children.find(isWsdl(way))),
        ]),
      ]),
    ];
  }

  /** Describes a message in one direction: its encoding, and the forms of its parts. */
  #message(bound: XmlNode | undefined, abstract: XmlNode | undefined): Fact {
    const written = (bound?.children ?? []).filter(({ namespace }) => namespace !== WSDL).map(extensionText);
    const message = this.#find('message', abstract && findAttribute(abstract, 'message'));
    const parts = message?.children.filter(isWsdl('part')) ?? [];
    return fact(
      parts.map((part): readonly [string, Fact] => {
        const element = findAttribute(part, 'element');
        const shape =
          element === undefined
            ? this.#schemas.type(findAttribute(part, 'type') ?? '')
            : this.#schemas.element(element);
        // The name of a part with an element is not sent.
        return [element === undefined ? (findAttribute(part, 'name') ?? '') : localName(element), shape];
      }),
      written.sort().join(' '),
      true,
    );
  }

  #find(kind: string, name: string | undefined): XmlNode | undefined {
    if (name === undefined) return undefined;
    return this.#root.children.find(
      (child) => isWsdl(kind)(child) && `{${this.#namespace}}${findAttribute(child, 'name') ?? ''}` === name,
    );
  }
}

function extensionText({ local, attributes }: XmlNode): string {
  const stated = attributes
    .filter((attribute) => attribute.local !== 'part')
    .map(({ local: name, value }) => `${name}=${value}`);
  return [local, ...stated].join(' ');
}

function bindingKind(bound: XmlNode | undefined): string {
  const kind = KINDS[bound?.namespace ?? ''] ?? 'unknown';
  return kind === 'HTTP' ? ((bound && findAttribute(bound, 'verb')) ?? kind) : kind;
}

function isWsdl(local: string): (node: XmlNode) => boolean {
  return (node) => node.local === local && node.namespace === WSDL;
}

/** Returns a binding's extension element. */
function extension({ children }: XmlNode, local: string): XmlNode | undefined {
  return children.find((child) => child.local === local && child.namespace !== WSDL);
}

/** Maximum length of a displayed value, and maximum number of differences. */
const MAX_VALUE_CHARACTERS = 200;
const MAX_FINDINGS = 200;

/**
 * Compares two answers to `?WSDL` by content: operations, parameters, types, results, actions, namespaces and
 * the paths of addresses. Never throws. Names and types are shown unmasked; a description contains nothing
 * personal.
 */
export function compareDescriptions(old: HttpAnswer, ours: HttpAnswer): Verdict {
  if (old.status === ours.status && old.body.equals(ours.body)) return makeVerdict([]);
  const forest = new Forest();
  const [theirs, own] = [old, ours].map((answer) => {
    const root = answer.status === 200 ? readTree(decodedBody(answer), forest) : undefined;
    const isDescription = root?.namespace === WSDL && root.local === 'definitions';
    return isDescription ? new Description(root).facts() : undefined;
  });
  if (theirs === undefined || own === undefined) {
    return makeVerdict([
      {
        part: 'body',
        place: '/',
        what: 'malformed',
        level: 'different',
        old: describeState(old, theirs),
        ours: describeState(ours, own),
      },
    ]);
  }
  const found = [...differencesOf(theirs, own, '')].slice(0, MAX_FINDINGS);
  if (found.length > 0) return makeVerdict(found);
  return makeVerdict([{ part: 'body', place: '/', what: 'writing', level: 'xml' }]);
}

function describeState({ status }: HttpAnswer, facts: Fact | undefined): string {
  return facts === undefined ? `status ${String(status)}, no service description` : 'a service description';
}

function* differencesOf(old: Fact, ours: Fact, path: string): Generator<Difference> {
  const place = path || '/';
  if (old.value !== ours.value) yield difference(place, 'changed', old, ours);
  const common = (facts: Fact, others: Fact): string =>
    [...facts.below.keys()].filter((name) => others.below.has(name)).join('/');
  if (old.isOrdered === true && common(old, ours) !== common(ours, old)) {
    yield { part: 'body', place, what: 'order', level: 'order' };
  }
  for (const [name, part] of old.below) {
    const other = ours.below.get(name);
    if (other === undefined) yield difference(`${path}/${name}`, 'missing', part, undefined);
    else yield* differencesOf(part, other, `${path}/${name}`);
  }
  for (const [name, part] of ours.below) {
    if (!old.below.has(name)) yield difference(`${path}/${name}`, 'added', undefined, part);
  }
}

/** Returns a difference of descriptions. A server without a value there is left out. */
function difference(
  place: string,
  what: 'changed' | 'missing' | 'added',
  old: Fact | undefined,
  ours: Fact | undefined,
): Difference {
  return {
    ...{ part: 'body', place, what, level: 'different' },
    ...(old?.value !== undefined && { old: old.value.slice(0, MAX_VALUE_CHARACTERS) }),
    ...(ours?.value !== undefined && { ours: ours.value.slice(0, MAX_VALUE_CHARACTERS) }),
  };
}
