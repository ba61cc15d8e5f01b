import { WORDING, XmlSyntaxError } from './xml-syntax-error';

// Name characters of XML 1.0, fifth edition, without the colon, which separates a prefix.
const START =
  'A-Z_a-z\\u{c0}-\\u{d6}\\u{d8}-\\u{f6}\\u{f8}-\\u{2ff}\\u{370}-\\u{37d}\\u{37f}-\\u{1fff}\\u{200c}-\\u{200d}' +
  '\\u{2070}-\\u{218f}\\u{2c00}-\\u{2fef}\\u{3001}-\\u{d7ff}\\u{f900}-\\u{fdcf}\\u{fdf0}-\\u{fffd}\\u{10000}-\\u{effff}';
const PART = `\\u{300}-\\u{36f}${START}\\-.0-9\\u{b7}\\u{203f}-\\u{2040}`;
const NAME_START = new RegExp(`[${START}]`, 'u');
const NAME_PART = new RegExp(`[${PART}]`, 'uy');

const ASCII_START = 1;
const ASCII_PART = 2;
/** Flag: a plain character in text, or in a quoted value. */
const ASCII_PLAIN_TEXT = 4;
const ASCII_PLAIN_VALUE = 8;
const KINDS: readonly (readonly [kind: number, characters: RegExp])[] = [
  [ASCII_START, /[A-Z_a-z]/],
  [ASCII_PART, /[A-Z_a-z\-.0-9]/],
  [ASCII_PLAIN_TEXT, /[\t\n -%'-;=-\\^-\x7f]/],
  [ASCII_PLAIN_VALUE, /[ !#-%(-;=-\x7f]/],
];
const ascii = Uint8Array.from({ length: 128 }, (_, code) =>
  KINDS.reduce((kinds, [kind, characters]) => {
    return characters.test(String.fromCharCode(code)) ? kinds | kind : kinds;
  }, 0),
);
const LAST_CHARACTER = 0xfffd;

/** Returns the code point at an offset, 0 at the end of the text. */
export function codeAt(text: string, offset: number): number {
  return text.codePointAt(offset) ?? 0;
}

/** Returns true for a code point that may begin a name (or its part after the colon). */
export function isNameStart(code: number): boolean {
  if (code < 128) return ((ascii[code] ?? 0) & ASCII_START) !== 0;
  return NAME_START.test(String.fromCodePoint(code));
}

/** Returns the offset after the run of name characters that begins at `offset`; a colon ends it. */
export function skipNameCharacters(text: string, offset: number): number {
  let end = offset;
  for (;;) {
    const code = text.charCodeAt(end);
    if (code < 128) {
      if (((ascii[code] ?? 0) & ASCII_PART) === 0) return end;
      end += 1;
      continue;
    }
    NAME_PART.lastIndex = end;
    // At the text's end the code is NaN and nothing matches.
    if (!NAME_PART.test(text)) return end;
    end = NAME_PART.lastIndex;
  }
}

/** Returns the offset of the first special character in text, including a tag's `<`. */
export function skipPlainText(text: string, offset: number): number {
  return skipPlain(text, offset, ASCII_PLAIN_TEXT);
}

/** Returns the offset of the first special character in an attribute's value, including a quote. */
export function skipPlainValue(text: string, offset: number): number {
  return skipPlain(text, offset, ASCII_PLAIN_VALUE);
}

function skipPlain(text: string, offset: number, kind: number): number {
  let end = offset;
  for (;;) {
    const code = text.charCodeAt(end);
    if (code < 128 ? ((ascii[code] ?? 0) & kind) === 0 : !(code <= LAST_CHARACTER)) return end;
    end += 1;
  }
}

/** Returns the offset after the blanks, tabs and line ends that begin at `offset`. */
export function skipWhiteSpace(text: string, offset: number): number {
  let end = offset;
  for (;;) {
    const code = text.charCodeAt(end);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return end;
    end += 1;
  }
}

/** Returns true for a character that may follow the name in an end tag: white space or `>`. */
export function endsTagName(code: number): boolean {
  return code === 0x3e || code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Returns true for a code point that XML 1.0 allows in a document. */
export function isXmlCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
  return code < 0xd800 || (code > 0xdfff && code < 0xfffe) || (code > 0xffff && code <= 0x10ffff);
}

// A document without a DTD has these five entities and no other.
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /&(?:#(?:x([0-9a-fA-F]+)|([0-9]+))|([^\s;&<>"'#]+));/y;
const FORBIDDEN = /[^\t\n\r\u0020-\ufffd]/;

/**
 * Resolves the references of a stretch of text or of an attribute value.
 *
 * @param text the document, for the position in errors
 * @param start offset of the stretch
 * @param end offset after it
 * @throws XmlSyntaxError for a reference that is malformed, undeclared or to a forbidden character
 */
export function resolveReferences(text: string, start: number, end: number): string {
  // Searching the whole rest of the document for each of many stretches would take quadratic time.
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

/** Converts CRLF and CR to LF (XML 1.0, section 2.11). */
export function normaliseLineEnds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

/** @throws XmlSyntaxError if a stretch of the document contains a character that XML forbids */
export function refuseForbidden(text: string, start: number, end: number): void {
  const index = text.slice(start, end).search(FORBIDDEN);
  if (index >= 0) {
    const offset = start + index;
    throw new XmlSyntaxError(WORDING.invalidCharacter(text.charCodeAt(offset)), text, offset);
  }
}

// Characters that XML 1.0 forbids: ASP.NET writes them as character references all the same. Lone surrogates become
// U+FFFD when the answer is encoded.
const FORBIDDEN_IN_TEXT = /[^\t\n\r\u0020-\ufffd]/g;
const NEEDS_ESCAPE = new RegExp(`[&<>]|${FORBIDDEN_IN_TEXT.source}`);

/**
 * Escapes text content the way XmlTextWriter does: `&`, `<` and `>` as entities, forbidden control characters
 * as `&#x1;`, everything else raw, quotes, tabs and line ends included (wire contract, section 2.5).
 */
export function escapeText(text: string): string {
  if (!NEEDS_ESCAPE.test(text)) return text;
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(FORBIDDEN_IN_TEXT, (character) => `&#x${character.charCodeAt(0).toString(16).toUpperCase()};`);
}

export function escapeAttribute(text: string): string {
  return escapeText(text).replaceAll('"', '&quot;');
}

/** Prepares a text for xmlbuilder2, which takes `&name;` for a reference and leaves it unescaped. */
export function literalText(text: string): string {
  return text.replaceAll('&', '&amp;');
}
