import type { XmlAttributes } from './xml-attributes';
import { XmlReader } from './xml-reader';

/** An element of a trusted document: a service description, read once at start. */
export interface XmlElement {
  readonly namespace: string;
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Namespaces in scope by prefix. */
  readonly prefixes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
}

/**
 * Reads a document into a tree of elements; text content is left out, for a service description has none.
 *
 * @throws XmlSyntaxError when the document is not well-formed
 */
export function readXmlElement(text: string): XmlElement {
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  const reader = new XmlReader({
    startElement: (name, namespace, attributes) => {
      const element = {
        namespace,
        name,
        attributes: collect(attributes),
        prefixes: { ...open.at(-1)?.prefixes, ...attributes.declarations() },
        children: [],
      };
      open.at(-1)?.children.push(element);
      root ??= element;
      open.push(element);
    },
    endElement: () => {
      open.pop();
    },
    characters: () => undefined,
    interruption: () => undefined,
  });
  reader.read(text);
  // The reader refuses a document without a root.
  return root as unknown as XmlElement;
}

function collect(attributes: XmlAttributes): ReadonlyMap<string, string> {
  const byName = new Map<string, string>();
  attributes.forEach((_local, _namespace, value, name) => {
    byName.set(name, value);
  });
  return byName;
}
