import { ContractError } from './operation';
import {
  type AttributeContract,
  type ElementContract,
  type ListType,
  PLAIN_NAMES,
  type PlainName,
  type RecordType,
  type ValueType,
} from './values';

/** An element of node-soap's model, viewed as in the document. Attribute names begin with a dollar sign. */
export interface SchemaNode {
  readonly name?: string;
  readonly $name?: string;
  readonly $type?: string;
  readonly $base?: string;
  readonly $value?: string;
  readonly $minOccurs?: string;
  readonly $maxOccurs?: string;
  readonly $nillable?: string;
  readonly $use?: string;
  readonly $default?: string;
  readonly $fixed?: string;
  readonly $form?: string;
  readonly $abstract?: string;
  readonly $mixed?: string;
  readonly location?: unknown;
  readonly children?: readonly SchemaNode[];
  /** Namespaces by prefix: those declared on the element, on its schema and on the document's root. */
  readonly xmlns?: Prefixes;
  readonly schemaXmlns?: Prefixes;
  readonly definitionsXmlns?: Prefixes;
}

type Prefixes = Readonly<Record<string, string | undefined>>;

/** Returns the children of an element without its documentation. */
function listParts({ children = [] }: SchemaNode): readonly SchemaNode[] {
  return children.filter(({ name }) => name !== 'annotation' && name !== 'documentation');
}

export function findChild(node: SchemaNode, name: string): SchemaNode | undefined {
  return listParts(node).find((child) => child.name === name);
}

/** Splits a prefixed name in an attribute of a node, and resolves the prefix to its namespace. */
function qualifiedName(
  text: string,
  { xmlns, schemaXmlns, definitionsXmlns }: SchemaNode,
): readonly [namespace: string, name: string] {
  const [name = '', prefix = ''] = text.split(':').reverse();
  return [xmlns?.[prefix] ?? schemaXmlns?.[prefix] ?? definitionsXmlns?.[prefix] ?? '', name];
}

const SCHEMA = 'http://www.w3.org/2001/XMLSchema';
const MICROSOFT_TYPES = 'http://microsoft.com/wsdl/types/';
const MICROSOFT_NAMES: ReadonlySet<string> = new Set<PlainName>(['guid', 'char']);

/** The types of one namespace of a description, in node-soap's model. */
export interface SchemaTypes {
  readonly complexTypes: Readonly<Record<string, SchemaNode | undefined>>;
  readonly types: Readonly<Record<string, SchemaNode | undefined>>;
  readonly $elementFormDefault?: string;
}

/** Throws for something that cannot be served; the message says what and where it is, then the problem. */
type Refuse = (problem: string) => never;

/**
 * Reads value types from a description's schema. Anything that ASMX may publish beyond the supported types is
 * refused with its place: serving half of a type would lose data.
 */
export class TypeReader {
  readonly #service: string;
  readonly #namespace: string;
  readonly #schema: SchemaTypes | undefined;
  /** Types by name; undefined while a type is still being read. */
  readonly #read = new Map<string, ValueType | undefined>();

  /** @param schema the schema of the description's own namespace; undefined if there is none */
  constructor(service: string, namespace: string, schema: SchemaTypes | undefined) {
    this.#service = service;
    this.#namespace = namespace;
    this.#schema = schema;
    // A type that extends another, or is extended, could be replaced through xsi:type.
    for (const [name, type] of Object.entries(schema?.complexTypes ?? {})) {
      const derived = listParts(type ?? {}).find((part) => part.name?.endsWith('Content') === true);
      if (derived !== undefined) this.#refuse(`the type ${name}`)(`has a ${derived.name ?? ''}`);
    }
  }

  /**
   * Reads the parameters of an operation, or its result.
   *
   * @param complexType type of the message's element; undefined if there is none
   * @param place where they are, for messages: `the request of GetExam`
   */
  message(complexType: SchemaNode | undefined, place: string): readonly ElementContract[] {
    if (complexType === undefined) return [];
    const refuse = this.#refuse(place);
    const { attributes, elements } = this.#partsOf(complexType, refuse);
    if (attributes.length > 0) refuse('has attributes');
    if (elements.length > 0 && this.#schema?.$elementFormDefault !== 'qualified')
      refuse('has elements without a namespace');
    return elements.map((element) => this.#single(element, place));
  }

  /** Reads an element that must not repeat. */
  #single(element: SchemaNode, place: string): ElementContract {
    const { $maxOccurs = '1' } = element;
    if ($maxOccurs !== '1')
      this.#refuse(describePlace(element, place))('repeats without an element around it');
    return this.#element(element, place);
  }

  #element(element: SchemaNode, place: string): ElementContract {
    const { $name: name, $minOccurs, $nillable, $default, $fixed, $form = 'qualified' } = element;
    const refuse = this.#refuse(describePlace(element, place));
    if (name === undefined) return refuse('has no name');
    if ($default !== undefined || $fixed !== undefined) refuse('has a value of its own in the document');
    if ($form !== 'qualified') refuse('is without a namespace');
    const type = this.#readType(element, refuse);
    return { name, type, optional: $minOccurs === '0', nillable: $nillable === 'true' };
  }

  #attribute(attribute: SchemaNode, place: string): AttributeContract {
    const { $name: name, $use, $default, $fixed, $form = 'unqualified' } = attribute;
    const refuse = this.#refuse(describePlace(attribute, place));
    if (name === undefined) return refuse('has no name');
    if ($default !== undefined || $fixed !== undefined) refuse('has a value of its own in the document');
    if ($form !== 'unqualified') refuse('has a namespace');
    const type = this.#readType(attribute, refuse);
    if (type.kind !== 'plain' && type.kind !== 'enumeration')
      return refuse(`is of type ${type.name}, which an attribute cannot have`);
    return { name, type, optional: $use !== 'required' };
  }

  #readType(node: SchemaNode, refuse: Refuse): ValueType {
    if (node.$type === undefined) return refuse('has no type by name');
    const [namespace, name] = qualifiedName(node.$type, node);
    const isMicrosofts = MICROSOFT_NAMES.has(name);
    if (namespace === (isMicrosofts ? MICROSOFT_TYPES : SCHEMA)) {
      const plain = PLAIN_NAMES.find((known) => known === name);
      if (plain !== undefined) return { kind: 'plain', name: plain };
    }
    if (namespace !== this.#namespace) refuse(`is of type ${name}, which is not served`);
    return this.#named(name, refuse);
  }

  #named(name: string, refuse: Refuse): ValueType {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    if (this.#read.has(name)) refuse(`is of type ${name}, which contains it`);
    this.#read.set(name, undefined);
    const complexType = this.#schema?.complexTypes[name];
    const simpleType = this.#schema?.types[name];
    let type: ValueType;
    if (complexType !== undefined) type = this.#complexType(name, complexType);
    else if (simpleType !== undefined) type = this.#enumeration(name, simpleType);
    else return refuse(`is of type ${name}, which the document does not define`);
    this.#read.set(name, type);
    return type;
  }

  #enumeration(name: string, simpleType: SchemaNode): ValueType {
    const refuse = this.#refuse(`the type ${name}`);
    const [restriction, ...others] = listParts(simpleType);
    if (restriction?.name !== 'restriction' || others.length > 0) return refuse('is not a list of names');
    const names = listParts(restriction).map((part) =>
      part.name === 'enumeration' && part.$value !== undefined
        ? part.$value
        : refuse('is not a list of names'),
    );
    const [first, ...more] = names;
    if (first === undefined) return refuse('has no values');
    return { kind: 'enumeration', name, values: [first, ...more] };
  }

  #complexType(name: string, complexType: SchemaNode): RecordType | ListType {
    const place = `the type ${name}`;
    const { $abstract, $mixed } = complexType;
    const refuse = this.#refuse(place);
    if ($abstract === 'true') refuse('is abstract');
    if ($mixed === 'true') refuse('holds text between its elements');
    const { elements, attributes } = this.#partsOf(complexType, refuse);
    const [first] = elements;
    if (first?.$maxOccurs === 'unbounded' && elements.length === 1 && attributes.length === 0) {
      return { kind: 'list', name, item: this.#element(first, place) };
    }
    const record: RecordType = {
      kind: 'record',
      name,
      attributes: attributes.map((attribute) => this.#attribute(attribute, place)),
      elements: elements.map((element) => this.#single(element, place)),
    };
    const names = [...record.attributes, ...record.elements].map((part) => part.name);
    const twice = names.find((each, index) => names.indexOf(each) < index);
    if (twice !== undefined) refuse(`has ${twice} twice`);
    return record;
  }

  #partsOf(
    complexType: SchemaNode,
    refuse: Refuse,
  ): { readonly elements: readonly SchemaNode[]; readonly attributes: readonly SchemaNode[] } {
    const parts = listParts(complexType);
    const other = parts.find(({ name }) => name !== 'sequence' && name !== 'attribute');
    if (other !== undefined) refuse(`has a part of the kind ${other.name ?? ''}`);
    const elements = parts.filter(({ name }) => name === 'sequence').flatMap(listParts);
    const stranger = elements.find(({ name }) => name !== 'element');
    if (stranger !== undefined) refuse(`has a part of the kind ${stranger.name ?? ''}`);
    return { elements, attributes: parts.filter(({ name }) => name === 'attribute') };
  }

  #refuse(place: string): Refuse {
    return (problem) => {
      throw new ContractError(
        `The service description ${this.#service} cannot be served: ${place} ${problem}.`,
      );
    };
  }
}

/** Describes an element for messages: `the element date of the type Entry`. */
function describePlace({ name = 'element', $name = '' }: SchemaNode, place: string): string {
  return `the ${name} ${$name} of ${place}`;
}
