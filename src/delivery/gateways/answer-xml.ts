import { SaxesParser } from 'saxes';

/** Deepest nesting that is read, of XML and of JSON; no provider's answer comes near it. */
export const MAX_DEPTH = 64;
const MAX_ELEMENTS = 20_000;
const MAX_ATTRIBUTES = 100;

/** Thrown for a body that is nested too deep, or has too many parts. */
export class BodyTooComplex extends Error {
  override readonly name = 'BodyTooComplex';
}

export interface XmlElement {
  /** As written, with its prefix. */
  readonly name: string;
  /** Names as written. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly (XmlElement | string)[];
  /** Its part of the document, from its start tag to its end tag. */
  readonly source: { readonly from: number; readonly to: number };
}

interface OpenElement extends XmlElement {
  readonly children: (XmlElement | string)[];
  readonly source: { from: number; to: number };
}

/**
 * Reads a document in one pass. Namespaces are not resolved: providers leave out their declarations.
 *
 * @returns undefined for a malformed document
 * @throws BodyTooComplex
 */
export function readXml(text: string): XmlElement | undefined {
  const parser = new SaxesParser();
  const open: OpenElement[] = [];
  let root: XmlElement | undefined;
  let elements = 0;
  let from = 0;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentagstart', ({ name }) => {
    elements += 1;
    if (elements > MAX_ELEMENTS || open.length >= MAX_DEPTH) throw new BodyTooComplex();
    from = text.lastIndexOf('<', parser.position - name.length - 1);
  });
  let attributes = 0;
  parser.on('attribute', () => {
    attributes += 1;
    if (attributes > MAX_ATTRIBUTES) throw new BodyTooComplex();
  });
  parser.on('opentag', (tag) => {
    attributes = 0;
    const { name, attributes: given } = tag;
    const element: OpenElement = { name, attributes: given, children: [], source: { from, to: 0 } };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  const add = (piece: string): void => void open.at(-1)?.children.push(piece);
  parser.on('text', add);
  parser.on('cdata', add);
  parser.on('closetag', () => {
    const element = open.pop();
    if (element === undefined) return;
    element.source.to = parser.position;
    root ??= open.length === 0 ? element : undefined;
  });
  try {
    parser.write(text).close();
    return root;
  } catch (error) {
    if (error instanceof BodyTooComplex) throw error;
    return undefined;
  }
}

/** Returns all elements at a path, which omits the root; the root for a path without steps. */
export function elementsAt(root: XmlElement | undefined, steps: readonly string[]): readonly XmlElement[] {
  return steps.reduce<readonly XmlElement[]>(
    (found, step) =>
      found.flatMap(({ children }) =>
        children.filter(
          (child): child is XmlElement => typeof child !== 'string' && isNamed(child.name, step),
        ),
      ),
    root === undefined ? [] : [root],
  );
}

/** Returns the first text of an element, or of the attribute `@name`. */
export function textAtPath(root: XmlElement | undefined, path: readonly string[]): string | undefined {
  const last = path.at(-1) ?? '';
  if (!last.startsWith('@')) {
    const [element] = elementsAt(root, path);
    return element && textOf(element);
  }
  for (const { attributes } of elementsAt(root, path.slice(0, -1))) {
    const name = Object.keys(attributes).find((each) => isNamed(each, last.slice(1)));
    if (name !== undefined) return attributes[name];
  }
  return undefined;
}

function textOf({ children }: XmlElement): string {
  return children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

/** Compares the name as written, or without its prefix. */
function isNamed(name: string, wanted: string): boolean {
  return name === wanted || name.slice(name.indexOf(':') + 1) === wanted;
}
