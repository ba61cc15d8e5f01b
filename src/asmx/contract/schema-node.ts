/** An element of node-soap's model, seen as what it was in the document. Attributes have a dollar sign before their names. */
export interface Node {
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
  readonly children?: readonly Node[];
  /** Namespaces by prefix: those declared on the element, on its schema and on the document's root. */
  readonly xmlns?: Prefixes;
  readonly schemaXmlns?: Prefixes;
  readonly definitionsXmlns?: Prefixes;
}

type Prefixes = Readonly<Record<string, string | undefined>>;

/** The children of an element that say something of it: all but its documentation. */
export function partsOf({ children = [] }: Node): readonly Node[] {
  return children.filter(({ name }) => name !== 'annotation' && name !== 'documentation');
}

export function childOf(node: Node, name: string): Node | undefined {
  return partsOf(node).find((child) => child.name === name);
}

/** A name with a prefix, as it stands in an attribute of a node, with the prefix's namespace. */
export function qualifiedName(
  text: string,
  { xmlns, schemaXmlns, definitionsXmlns }: Node,
): readonly [namespace: string, name: string] {
  const [name = '', prefix = ''] = text.split(':').reverse();
  return [xmlns?.[prefix] ?? schemaXmlns?.[prefix] ?? definitionsXmlns?.[prefix] ?? '', name];
}
