import { isXmlCharacter } from './xml-characters';
import { WORDING, XmlSyntaxError } from './xml-syntax-error';

// A document without a DTD has these five entities and no other.
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /&(?:#(?:x([0-9a-fA-F]+)|([0-9]+))|([^\s;&<>"'#]+));/y;
const FORBIDDEN = /[^\t\n\r\u0020-\ufffd]/;

/**
 * Resolves the references of a stretch of text or of an attribute value.
 *
 * @param text the document, for the error's place
 * @param start offset of the stretch
 * @param end offset behind it
 * @throws XmlSyntaxError for a reference that is malformed, undeclared or to a forbidden character
 */
export function resolveReferences(text: string, start: number, end: number): string {
  // What is looked for must not be looked for in all the rest of the document: it may hold many stretches.
  const stretch = text.slice(start, end);
  let result = '';
  let from = 0;
  for (;;) {
    const ampersand = stretch.indexOf('&', from);
    if (ampersand < 0) return result + normaliseLineEnds(stretch.slice(from));
    result += normaliseLineEnds(stretch.slice(from, ampersand));
    REFERENCE.lastIndex = ampersand;
    const match = REFERENCE.exec(stretch);
    if (match === null) throw new XmlSyntaxError(WORDING.entityName, text, start + ampersand + 1);
    result += resolve(text, start + ampersand, match);
    from = REFERENCE.lastIndex;
  }
}

function resolve(text: string, offset: number, [, hex, decimal, name]: RegExpExecArray): string {
  if (name !== undefined) {
    const value = Object.hasOwn(ENTITIES, name) ? ENTITIES[name] : undefined;
    if (value === undefined) throw new XmlSyntaxError(WORDING.undeclaredEntity(name), text, offset + 1);
    return value;
  }
  const code = hex === undefined ? Number.parseInt(decimal ?? '', 10) : Number.parseInt(hex, 16);
  if (!isXmlCharacter(code)) throw new XmlSyntaxError(WORDING.invalidCharacter(code), text, offset + 2);
  return String.fromCodePoint(code);
}

/** CRLF and CR become LF (XML 1.0, section 2.11). */
export function normaliseLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** @throws XmlSyntaxError where a stretch of the document holds a character that XML forbids */
export function refuseForbidden(text: string, start: number, end: number): void {
  const index = text.slice(start, end).search(FORBIDDEN);
  if (index >= 0) {
    const offset = start + index;
    throw new XmlSyntaxError(WORDING.invalidCharacter(text.charCodeAt(offset)), text, offset);
  }
}
