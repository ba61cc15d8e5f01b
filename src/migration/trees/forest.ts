/** Of XML Schema's own attributes, such as `xsi:nil`. */
export const XSI = 'http://www.w3.org/2001/XMLSchema-instance';

export interface XmlAttribute {
  readonly local: string;
  /** Empty for none. */
  readonly namespace: string;
  readonly value: string;
}

/** What a node is made of. */
export interface NodeContent {
  /** Local name. */
  readonly local: string;
  /** Empty for none. */
  readonly namespace: string;
  /** Sorted by namespace and name; namespace declarations are none. */
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlNode[];
  /** Text of an element without children. */
  readonly text: string;
}

/**
 * An element, or a piece of text between elements (its name is `#text`). Two nodes of one forest that are equal as
 * XML are one object.
 */
export interface XmlNode extends NodeContent {
  /** A number of its own in the forest. */
  readonly id: number;
  /** A number that nodes share which are equal but for the order of what is in them. */
  readonly unordered: number;
}

/** No text of an XML document holds it. */
const END = '\0';

/**
 * Where the documents that are compared keep their nodes. Equal ones are kept once, so that whole documents are
 * compared by looking whether their roots are one object, and long lists of the same take little memory.
 */
export class Forest {
  readonly #nodes = new Map<string, XmlNode>();
  /** Those with children, by what they share with others; the number is that of the first of them. */
  readonly #unordered = new Map<string, number>();

  /** The node of that content; the children are nodes of this forest. */
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
