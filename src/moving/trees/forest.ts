/** Of XML Schema's own attributes, such as `xsi:nil`. */
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

export interface XmlAttribute {
  readonly local: string;
  /** Empty for none. */
  readonly namespace: string;
  readonly value: string;
}

/**
 * An element, or a piece of text between elements (its name is `#text`). Two nodes of one forest that are equal as
 * XML are one object.
 */
export interface XmlNode {
  /** Local name. */
  readonly local: string;
  /** Empty for none. */
  readonly namespace: string;
  /** Sorted by namespace and name; namespace declarations are none. */
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlNode[];
  /** Text of an element without children. */
  readonly text: string;
  /** A number that nodes share which are equal but for the order of what is in them. */
  readonly unordered: number;
}

/** What a node is made of. */
export type NodeContent = Omit<XmlNode, 'unordered'>;

/** No text of an XML document holds it. */
const END = '\0';

/**
 * Where the documents that are compared keep their nodes. Equal ones are kept once, so that whole documents are
 * compared by looking whether their roots are one object, and long lists of the same take little memory.
 */
export class Forest {
  readonly #nodes = new Map<string, XmlNode>();
  readonly #ids = new Map<XmlNode, number>();
  readonly #unordered = new Map<string, number>();

  /** The node of that content; the children are nodes of this forest. */
  node(content: NodeContent): XmlNode {
    const own = ownKey(content);
    const key = own + content.children.map((child) => this.#ids.get(child)).join();
    const known = this.#nodes.get(key);
    if (known !== undefined) return known;
    const node: XmlNode = { ...content, unordered: this.#numberOf(own, content.children) };
    this.#nodes.set(key, node);
    this.#ids.set(node, this.#ids.size);
    return node;
  }

  #numberOf(own: string, children: readonly XmlNode[]): number {
    const numbers = children.map(({ unordered }) => unordered).sort((one, other) => one - other);
    const key = own + numbers.join();
    const known = this.#unordered.get(key);
    if (known !== undefined) return known;
    const number = this.#unordered.size;
    this.#unordered.set(key, number);
    return number;
  }
}

function ownKey({ local, namespace, attributes, text }: NodeContent): string {
  const names = attributes.flatMap((attribute) => [attribute.local, attribute.namespace, attribute.value]);
  return [local, namespace, String(attributes.length), ...names, text, ''].join(END);
}
