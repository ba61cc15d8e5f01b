import { textOf, unitsFor } from '../code-units';
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
const ENTITIES: readonly (readonly [name: string, code: number])[] = [
  ['amp', 0x26],
  ['lt', 0x3c],
  ['gt', 0x3e],
  ['quot', 0x22],
  ['apos', 0x27],
];
const LAST_CODE = 0x10ffff;
const REFERENCE = /^&(?:#(?:x([0-9a-fA-F]+)|([0-9]+))|([^\s;&<>"'#]+));/;
const FORBIDDEN = /[^\t\n\r\u0020-\ufffd]/;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const HASH = 0x23;
const AMPERSAND = 0x26;

/**
 * Kind of a stretch: text, whose line ends become LF (XML 1.0, section 2.11); an attribute value, whose white
 * space becomes blanks unless it comes from a reference (XML 1.0, section 3.3.3); a CDATA section, which has
 * no references.
 */
type StretchKind = 'text' | 'value' | 'section';

/**
 * Returns what a stretch of the document stands for.
 *
 * @param text the document, for the position in errors
 * @param start offset of the stretch
 * @param end offset after it
 * @throws XmlSyntaxError for a reference that is malformed, undeclared or to a forbidden character
 */
export function readStretch(text: string, start: number, end: number, kind: StretchKind): string {
  const units = unitsFor(end - start);
  let length = 0;
  for (let at = start; at < end; at += 1) {
    let code = text.charCodeAt(at);
    if (code === CARRIAGE_RETURN) {
      if (text.charCodeAt(at + 1) === LINE_FEED && at + 1 < end) at += 1;
      code = kind === 'value' ? BLANK : LINE_FEED;
    } else if (code === AMPERSAND && kind !== 'section') {
      const semicolon = text.indexOf(';', at);
      code = semicolon < 0 || semicolon >= end ? -1 : codeOf(text, at + 1, semicolon);
      if (code < 0) throw referenceError(text, at, end);
      at = semicolon;
      if (code > 0xffff) {
        units[length] = 0xd800 + ((code - 0x10000) >> 10);
        length += 1;
        code = 0xdc00 + (code & 0x3ff);
      }
    } else if (kind === 'value' && (code === LINE_FEED || code === TAB)) code = BLANK;
    units[length] = code;
    length += 1;
  }
  return textOf(units, length);
}

/** Returns the code point to which the text between `&` and `;` refers; -1 if there is none. */
function codeOf(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) !== HASH) {
    for (const [name, code] of ENTITIES)
      if (end - start === name.length && text.startsWith(name, start)) return code;
    return -1;
  }
  const isHex = text.charAt(start + 1) === 'x';
  const first = start + (isHex ? 2 : 1);
  let code = first < end ? 0 : -1;
  for (let at = first; at < end; at += 1) {
    const digit = digitOf(text.charCodeAt(at));
    if (digit < 0 || (digit > 9 && !isHex) || code > LAST_CODE) return -1;
    code = code * (isHex ? 16 : 10) + digit;
  }
  return isXmlCharacter(code) ? code : -1;
}

function digitOf(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Returns the error for the reference at an offset, which stands for no character. */
function referenceError(text: string, offset: number, end: number): XmlSyntaxError {
  const [, hex, decimal, name] = REFERENCE.exec(text.slice(offset, end)) ?? [];
  if (name !== undefined) return new XmlSyntaxError(WORDING.undeclaredEntity(name), text, offset + 1);
  const digits = hex ?? decimal;
  if (digits === undefined) return new XmlSyntaxError(WORDING.entityName, text, offset + 1);
  const code = Number.parseInt(digits, hex === undefined ? 10 : 16);
  return new XmlSyntaxError(WORDING.invalidCharacter(code), text, offset + 2);
}

/** @throws XmlSyntaxError if a stretch of the document contains a character that XML forbids */
export function refuseForbidden(text: string, start: number, end: number): void {
  const index = text.slice(start, end).search(FORBIDDEN);
  if (index >= 0) {
    const offset = start + index;
    throw new XmlSyntaxError(WORDING.invalidCharacter(text.charCodeAt(offset)), text, offset);
  }
}

// Characters that XML 1.0 forbids: ASP.NET writes them as character references all the same. Lone surrogates
// become U+FFFD when the answer is encoded.
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
