export { literalText } from './literal-text';
export { textPosition } from './text-position';
export { XmlAttributes } from './xml-attributes';
export { readXmlElement, type XmlElement } from './xml-element';
export type { XmlHandler } from './xml-handler';
export { XmlReader } from './xml-reader';
export type { ReadingPoint } from './xml-reading-point';
export { XmlSyntaxError } from './xml-syntax-error';
export { escapeAttribute, escapeText } from './xml-text';
