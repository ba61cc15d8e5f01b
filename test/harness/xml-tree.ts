import { SaxesParser } from 'saxes';

export interface XmlElement {
  /** Local name. */
  readonly name: string;
  readonly namespace: string;
  /** By qualified name, as written. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text directly inside, child elements left out. */
  readonly text: string;
}

/**
 * Reads a document into a tree.
 *
 * @throws Error when it is not well-formed
 */
export function parseXml(document: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const holder = { name: '', namespace: '', attributes: {}, children: [] as XmlElement[], text: '' };
  const stack: { children: XmlElement[]; text: string }[] = [holder];

  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ local, uri, attributes }) => {
    const values = Object.entries(attributes).map(([key, { value }]) => [key, value] as const);
    const element = {
      name: local,
      namespace: uri,
      attributes: Object.fromEntries(values),
      children: [] as XmlElement[],
      text: '',
    };
    stack.at(-1)?.children.push(element);
    stack.push(element);
  });
  const addText = (text: string): void => {
    const element = stack.at(-1);
    if (element !== undefined) element.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => stack.pop());
  parser.write(document).close();

  const [root] = holder.children;
  if (root === undefined) throw new Error('The document has no root element');
  return root;
}

/** All elements below one of the local name, in document order. */
export function descendants(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...descendants(child, name),
  ]);
}
