import type { XmlAttributes } from './xml-attributes';

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
