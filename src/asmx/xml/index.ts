export { escapeAttribute, escapeText, literalText } from './xml-text';
export { textPosition, XmlSyntaxError } from './xml-syntax-error';
export { XmlAttributes } from './xml-attributes';
export type { XmlBounds, XmlLimits } from './xml-limits';
export type { XmlHandler } from './xml-reading';
export { XmlReader } from './xml-reader';
