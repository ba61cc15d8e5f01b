import { SOAP12_ENVELOPE, type XmlAttributes, type XmlHandler, XmlReader } from '../../asmx/internal';

/** Namespace of XML Schema's own attributes, such as `xsi:nil`. */
const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

interface XmlAttribute {
  readonly local: string;
  /** Empty for none. */
  readonly namespace: string;
  readonly value: string;
}

interface NodeContent {
  readonly local: string;
  /** Empty for none. */
  readonly namespace: string;
  /** Sorted by namespace and name, without namespace declarations. */
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlNode[];
  /** Text of an element without children. */
  readonly text: string;
}

/**
 * An element, or a piece of text between elements (named `#text`). Nodes of one forest that are equal as XML
 * are the same object.
 */
export interface XmlNode extends NodeContent {
  /** Unique number in the forest. */
  readonly id: number;
  /** Number shared by nodes that are equal except for the order of their contents. */
  readonly unordered: number;
}

/** No text of an XML document contains it. */
const END = '\0';

/**
 * Storage for the nodes of documents to compare. Equal nodes are stored once, so that documents are equal if
 * their roots are the same object, and long repetitive lists take little memory.
 */
export class Forest {
  readonly #nodes = new Map<string, XmlNode>();
  /** Nodes with children by their unordered content; the number is that of the first one. */
  readonly #unordered = new Map<string, number>();

  /** Returns the node with this content; the children must be nodes of this forest. */
  node(content: NodeContent): XmlNode {
    const { local, namespace, attributes, children, text } = content;
    const own = ownKey(content);
    let key = own;
    for (const { id } of children) key += `${String(id)},`;
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const id = this.#nodes.size;
    const unordered = children.length === 0 ? id : this.#numberOf(own, children, id);
    const node = { local, namespace, attributes, children, text, id, unordered };
    this.#nodes.set(key, node);
    return node;
  }

  #numberOf(own: string, children: readonly XmlNode[], id: number): number {
    const numbers = children.map(({ unordered }) => unordered);
    numbers.sort((one, other) => one - other);
    const key = own + numbers.join();
    const known = this.#unordered.get(key);
    if (known !== undefined) return known;
    this.#unordered.set(key, id);
    return id;
  }
}

function ownKey({ local, namespace, attributes, text }: NodeContent): string {
  let key = local + END + namespace + END + text + END;
  for (const attribute of attributes) {
    key += attribute.local + END + attribute.namespace + END + attribute.value + END;
  }
  return key + END;
}

/** Limits on a document; larger ones are not read. */
const TREE_BOUNDS = { elements: 200_000, depth: 200 } as const;

/** Attributes of service descriptions and schemas whose values contain prefixed names. */
const NAMING = new Set([
  'type',
  'ref',
  'base',
  'element',
  'binding',
  'message',
  'itemType',
  'substitutionGroup',
]);
const NAMING_OWNERS = new Set(['http://schemas.xmlsoap.org/wsdl/', 'http://www.w3.org/2001/XMLSchema']);
const BLANK = /^[ \t\r\n]*$/;
// .NET writes characters that XML forbids as references. They are replaced by characters that no document
// contains.
const FORBIDDEN = /&#(?:x([0-9a-f]{1,5})|([0-9]{1,5}));/gi;
const PRIVATE = 0x100000;

/** An element being read, before its end tag. */
interface OpenNode {
  readonly local: string;
  readonly namespace: string;
  readonly attributes: readonly XmlAttribute[];
  readonly children: XmlNode[];
  /** Text since the last tag. */
  text: string;
}

/**
 * Parses a document into a tree of its content: prefixes, the order of attributes, CDATA sections, entities,
 * comments, instructions and white space between elements are ignored (see the table in
 * docs/internals/comparison.md).
 *
 * @param text decoded, without a byte order mark
 * @returns undefined if it is malformed, has a document type declaration, or exceeds the limits
 */
export function readTree(text: string, forest: Forest): XmlNode | undefined {
  const builder = new TreeBuilder(forest);
  try {
    builder.reader.read(withoutForbidden(text));
    return builder.root;
  } catch {
    // Errors of the reader and the builder mean that it cannot be compared as XML.
    return undefined;
  }
}

/**
 * Replaces references to forbidden characters; CDATA sections are kept, because they contain no references.
 */
function withoutForbidden(text: string): string {
  if (!text.includes('&#')) return text;
  let result = '';
  let from = 0;
  for (;;) {
    const open = text.indexOf('<![CDATA[', from);
    const close = open < 0 ? -1 : text.indexOf(']]>', open);
    if (close < 0) return result + text.slice(from).replace(FORBIDDEN, spelledOut);
    result += text.slice(from, open).replace(FORBIDDEN, spelledOut) + text.slice(open, close);
    from = close;
  }
}

function spelledOut(reference: string, hexadecimal?: string, decimal?: string): string {
  const code =
    hexadecimal === undefined ? Number.parseInt(decimal ?? '', 10) : Number.parseInt(hexadecimal, 16);
  const isForbidden =
    (code < 0x20 && code !== 9 && code !== 10 && code !== 13) ||
    (code >= 0xd800 && code <= 0xdfff) ||
    code === 0xfffe ||
    code === 0xffff;
  return isForbidden ? String.fromCodePoint(PRIVATE + code) : reference;
}

class TreeBuilder implements XmlHandler {
  readonly reader = new XmlReader(this);
  readonly #forest: Forest;
  readonly #open: OpenNode[] = [];
  #elements = 0;
  root: XmlNode | undefined;

  constructor(forest: Forest) {
    this.#forest = forest;
  }

  startElement(local: string, namespace: string, attributes: XmlAttributes): void {
    this.#elements += 1;
    if (this.#elements > TREE_BOUNDS.elements || this.#open.length >= TREE_BOUNDS.depth) {
      throw new RangeError('The document exceeds a limit.');
    }
    const parent = this.#open.at(-1);
    if (parent !== undefined) this.#endText(parent);
    const kept: XmlAttribute[] = [];
    attributes.forEach((name, space, value) => {
      const attribute = this.#attribute(name, space, value, { local, namespace });
      if (attribute !== undefined) kept.push(attribute);
    });
    if (kept.length > 1) kept.sort(byName);
    this.#open.push({ local, namespace, attributes: kept, children: [], text: '' });
  }

  endElement(): void {
    const element = this.#open.pop();
    if (element === undefined) return;
    const { local, namespace, attributes, children } = element;
    if (children.length > 0) this.#endText(element);
    const text = children.length > 0 ? '' : this.#value(element);
    const node = this.#forest.node({ local, namespace, attributes, children, text });
    const parent = this.#open.at(-1);
    if (parent === undefined) this.root = node;
    else parent.children.push(node);
  }

  characters(text: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text += text;
  }

  interruption(): void {
    // Comments and instructions are not content.
  }

  /** Adds text between elements as a node of its own, unless it is white space. */
  #endText(element: OpenNode): void {
    const { text } = element;
    element.text = '';
    if (BLANK.test(text)) return;
    const content = { local: '#text', namespace: '', attributes: [], children: [], text };
    element.children.push(this.#forest.node(content));
  }

  #attribute(
    local: string,
    namespace: string,
    value: string,
    owner: Pick<OpenNode, 'local' | 'namespace'>,
  ): XmlAttribute | undefined {
    if (namespace === XSI) {
      if (local === 'schemaLocation' || local === 'noNamespaceSchemaLocation') return undefined;
      if (local === 'type') return { local, namespace, value: this.#qualified(value) };
      if (local === 'nil') {
        const isNil = ['true', '1'].includes(value.trim());
        return isNil ? { local, namespace, value: 'true' } : undefined;
      }
    }
    const isName =
      (owner.local === 'SupportedEnvelope' && local === 'qname') ||
      (namespace === '' && NAMING.has(local) && NAMING_OWNERS.has(owner.namespace));
    return { local, namespace, value: isName ? this.#qualified(value) : value };
  }

  /** Returns an element's text, with prefixes resolved for a fault's code. */
  #value({ local, namespace, text }: OpenNode): string {
    const isName =
      (local === 'faultcode' && namespace === '') || (local === 'Value' && namespace === SOAP12_ENVELOPE);
    return isName ? this.#qualified(text) : text;
  }

  /** Resolves `soap:Client` to `{namespace}Client`, whatever the prefix. */
  #qualified(value: string): string {
    const match = /^[ \t\r\n]*(?:([^:\s]+):)?([^:\s]+)[ \t\r\n]*$/.exec(value);
    const namespace = this.reader.namespaceOf(match?.[1] ?? '');
    return match === null || namespace === undefined ? value : `{${namespace}}${match[2] ?? ''}`;
  }
}

function byName(one: XmlAttribute, other: XmlAttribute): number {
  const [left, right] = [`${one.namespace}\0${one.local}`, `${other.namespace}\0${other.local}`];
  return left < right ? -1 : left > right ? 1 : 0;
}
