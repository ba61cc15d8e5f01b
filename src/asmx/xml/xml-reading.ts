import type { XmlAttributes } from './xml-attributes';
import type { NamespaceDeclaration } from './xml-namespaces';

/** Bounds on one document. */
export interface XmlLimits {
  /** Deepest nesting of elements, the root counting as 1. */
  readonly xmlDepth: number;
  /** Most attributes on one element, namespace declarations included. */
  readonly xmlAttributes: number;
  /** Most elements. */
  readonly xmlElements: number;
  /** Longest name of an element or an attribute, with its prefix, in characters. */
  readonly xmlNameCharacters: number;
}

/** What a reader bounds itself while it reads. */
export interface XmlBounds extends Pick<XmlLimits, 'xmlAttributes' | 'xmlNameCharacters'> {
  /** Told of what is over its bound; throws. */
  refuse(what: 'attributes' | 'name'): never;
}

export const UNBOUNDED: XmlBounds = {
  xmlAttributes: Infinity,
  xmlNameCharacters: Infinity,
  refuse: (what) => {
    throw new Error(`Without a bound, too much of ${what}.`);
  },
};

/** What a reader tells of a document, in its order. */
export interface XmlHandler {
  /**
   * @param local local name
   * @param namespace empty for none
   * @param attributes valid during the call only
   */
  startElement(local: string, namespace: string, attributes: XmlAttributes): void;
  /** @param isEmptyTag true for `<a/>` */
  endElement(isEmptyTag: boolean): void;
  /** Text or a CDATA section's content; what stands between two tags may come in several pieces. */
  characters(text: string, isCData: boolean): void;
  /** A comment or a processing instruction. */
  interruption(): void;
}

/** An element whose end tag has not come. */
export interface OpenElement {
  /** Its qualified name, and the offset of that. */
  readonly name: string;
  readonly start: number;
  /** How many namespace declarations are in force around it. */
  readonly declared: number;
}

/** Where a reading stands behind a start tag: all that matters for what follows. */
export interface ResumePoint {
  readonly offset: number;
  readonly open: readonly OpenElement[];
  readonly declarations: readonly NamespaceDeclaration[];
}
