import { SaxesParser } from 'saxes';

/** An element of a trusted document: a service description, read once at start. */
export interface XmlElement {
  readonly namespace: string;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Namespaces in scope by prefix. */
  readonly prefixes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
}

interface OpenElement extends XmlElement {
  readonly children: XmlElement[];
}

/**
 * Reads a document into a tree of elements; text content is left out, for a service description has none.
 *
 * @throws Error with line and column when the document is not well-formed
 */
export function readXmlElement(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', (tag) => {
    const parent = open.at(-1);
    const element: OpenElement = {
      namespace: tag.uri,
      name: tag.local,
      attributes: new Map(
        Object.values(tag.attributes).map((attribute) => [attribute.name, attribute.value]),
      ),
      prefixes: { ...parent?.prefixes, ...tag.ns },
      children: [],
    };
    parent?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(text).close();
  if (root === undefined) throw new Error('the document is empty');
  return root;
}
