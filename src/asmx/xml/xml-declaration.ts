import { WORDING, XmlSyntaxError } from './xml-syntax-error';

const DECLARATION =
  /<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"([^"<]*)"|'([^'<]*)')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/y;
const TARGET_XML = /<\?xml(?=[ \t\r\n?])/iy;
/** As .NET's and Java's proxies write it. */
const USUAL_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

/** True where something that begins like an XML declaration stands, which may do so at the start only. */
export function beginsDeclaration(text: string, offset: number): boolean {
  TARGET_XML.lastIndex = offset;
  return TARGET_XML.test(text);
}

/**
 * Reads the XML declaration, if there is one.
 *
 * @returns the offset behind it
 * @throws XmlSyntaxError
 */
export function readDeclaration(text: string): number {
  if (text.startsWith(USUAL_DECLARATION)) return USUAL_DECLARATION.length;
  if (!beginsDeclaration(text, 0)) return 0;
  DECLARATION.lastIndex = 0;
  const match = DECLARATION.exec(text);
  if (match === null) throw new XmlSyntaxError(WORDING.declaration, text, 0);
  const version = match[1] ?? match[2] ?? '';
  if (version !== '1.0') throw new XmlSyntaxError(WORDING.version(version), text, text.indexOf(version));
  return DECLARATION.lastIndex;
}
