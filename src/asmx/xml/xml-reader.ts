import { NamespaceScope, XmlAttributes } from './xml-attributes';
import {
  codeAt,
  endsTagName,
  isNameStart,
  isXmlCharacter,
  readStretch,
  refuseForbidden,
  skipNameCharacters,
  skipPlainText,
  skipWhiteSpace,
} from './xml-characters';
import { type StartTag, TagMemory } from './tag-memory';
import { textPosition, UNBOUNDED, WORDING, type XmlBounds, XmlSyntaxError } from './xml-syntax-error';

/** Callbacks of a reader, in document order. */
export interface XmlHandler {
  /**
   * @param local local name
   * @param namespace empty for none
   * @param attributes valid during the call only
   */
  startElement(local: string, namespace: string, attributes: XmlAttributes): void;
  /** @param isEmptyTag true for `<a/>` */
  endElement(isEmptyTag: boolean): void;
  /** Text or a CDATA section's content; text between two tags may arrive in several pieces. */
  characters(text: string, isCData: boolean): void;
  /** A comment or a processing instruction. */
  interruption(): void;
}

/** An element whose end tag has not been read. */
interface OpenElement {
  /** Its qualified name, and the offset of that. */
  readonly name: string;
  readonly start: number;
  /** Number of namespace declarations in force outside it. */
  readonly declared: number;
}

const DECLARATION =
  /<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"([^"<]*)"|'([^'<]*)')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"[A-Za-z][A-Za-z0-9._-]*"|'[A-Za-z][A-Za-z0-9._-]*'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/y;
const TARGET_XML = /<\?xml(?=[ \t\r\n?])/iy;
/** As .NET's and Java's proxies write it. */
const USUAL_DECLARATION = '<?xml version="1.0" encoding="utf-8"?>';

/** Returns true if the text has what looks like an XML declaration, which is only allowed at the start. */
function beginsDeclaration(text: string, offset: number): boolean {
  TARGET_XML.lastIndex = offset;
  return TARGET_XML.test(text);
}

/**
 * Reads the XML declaration, if there is one.
 *
 * @returns the offset after it
 * @throws XmlSyntaxError
 */
function readDeclaration(text: string): number {
  if (text.startsWith(USUAL_DECLARATION)) return USUAL_DECLARATION.length;
  if (!beginsDeclaration(text, 0)) return 0;
  DECLARATION.lastIndex = 0;
  const match = DECLARATION.exec(text);
  if (match === null) throw new XmlSyntaxError(WORDING.declaration, text, 0);
  const version = match[1] ?? match[2] ?? '';
  if (version !== '1.0') throw new XmlSyntaxError(WORDING.version(version), text, text.indexOf(version));
  return DECLARATION.lastIndex;
}

const LESS = 0x3c;
const GREATER = 0x3e;
const SLASH = 0x2f;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const COLON = 0x3a;

/**
 * A strict XML 1.0 reader with namespaces: one pass over a decoded text, no DTD, no entities besides the five
 * of XML. It accepts what .NET's XmlTextReader accepts under the same settings, and fails with the same
 * messages.
 *
 * It replaces saxes 6, the fastest strict reader in the registry, which took 45 % of the CPU of a small SOAP
 * request (`scripts/bench`); the tests compare the two.
 *
 * An instance reads one document after the other.
 */
export class XmlReader {
  readonly #handler: XmlHandler;
  readonly #bounds: XmlBounds;
  readonly #attributes: XmlAttributes;
  readonly #scope = new NamespaceScope();
  readonly #memory = new TagMemory();
  /** Start tags of this document so far. */
  #startTags = 0;
  #text = '';
  #offset = 0;
  readonly #open: OpenElement[] = [];
  #nameOffset = 0;

  constructor(handler: XmlHandler, bounds: XmlBounds = UNBOUNDED) {
    this.#handler = handler;
    this.#bounds = bounds;
    this.#attributes = new XmlAttributes(this.#scope, bounds);
  }

  get nameOffset(): number {
    return this.#nameOffset;
  }

  /** Offset at which reading continues, after the current event. */
  get offset(): number {
    return this.#offset;
  }

  /**
   * Returns the namespace of a prefix in the current tag, for names in values; undefined for an undeclared
   * prefix.
   */
  namespaceOf(prefix: string): string | undefined {
    return this.#scope.find(prefix);
  }

  /** @throws XmlSyntaxError for malformed text; the events before it have been delivered */
  read(text: string): void {
    try {
      this.#read(text);
    } finally {
      this.#forget();
    }
  }

  /** Forgets the document, which may be long, and which any part of it would keep in memory. */
  #forget(): void {
    this.#text = '';
    this.#open.length = 0;
    this.#scope.reset();
    this.#attributes.reset();
  }

  #read(text: string): void {
    this.#text = text;
    this.#startTags = 0;
    this.#offset = readDeclaration(text);
    if (!this.#readMisc()) throw new XmlSyntaxError(WORDING.rootMissing, text);
    this.#readStartTag();
    while (this.#open.length > 0) this.#readContent();
    if (this.#readMisc()) throw this.#error(WORDING.multipleRoots, this.#offset + 1);
  }

  /**
   * Skips comments, instructions and white space around the root; returns false at the end, true before a
   * start tag.
   */
  #readMisc(): boolean {
    const text = this.#text;
    for (;;) {
      const offset = skipWhiteSpace(text, this.#offset);
      this.#offset = offset;
      if (offset >= text.length) return false;
      const code = text.charCodeAt(offset);
      if (code !== LESS) {
        throw this.#error(isXmlCharacter(code) ? WORDING.rootData : WORDING.invalidCharacter(code), offset);
      }
      const next = text.charCodeAt(offset + 1);
      if (next === QUESTION) this.#readInstruction();
      else if (text.startsWith('<!--', offset)) this.#readComment();
      else if (text.startsWith('<!DOCTYPE', offset)) throw new XmlSyntaxError(WORDING.dtd, text);
      else if (next === EXCLAMATION || next === SLASH) throw this.#error(WORDING.rootData, offset + 1);
      else return true;
    }
  }

  #readContent(): void {
    const text = this.#text;
    const start = this.#offset;
    if (text.charCodeAt(start) !== LESS) this.#readText(start);
    const next = text.charCodeAt(this.#offset + 1);
    if (next === SLASH) this.#readEndTag();
    else if (next === EXCLAMATION) this.#readMarkup();
    else if (next === QUESTION) this.#readInstruction();
    else this.#readStartTag();
  }

  #readText(start: number): void {
    const text = this.#text;
    const plainEnd = skipPlainText(text, start);
    if (text.charCodeAt(plainEnd) === LESS) {
      this.#offset = plainEnd;
      this.#handler.characters(text.slice(start, plainEnd), false);
      return;
    }
    const less = text.indexOf('<', plainEnd);
    const end = less < 0 ? text.length : less;
    refuseForbidden(text, start, end);
    const sectionEnd = text.slice(start, end).indexOf(']]>');
    if (sectionEnd >= 0) throw this.#error(WORDING.cdataEnd, start + sectionEnd);
    this.#handler.characters(readStretch(text, start, end, 'text'), false);
    if (less < 0) throw this.#unclosed();
    this.#offset = less;
  }

  #readMarkup(): void {
    const text = this.#text;
    if (text.startsWith('<!--', this.#offset)) {
      this.#readComment();
    } else if (text.startsWith('<![CDATA[', this.#offset)) {
      const start = this.#offset + 9;
      const end = this.#find(']]>', start, 'CDATA');
      refuseForbidden(text, start, end);
      this.#offset = end + 3;
      this.#handler.characters(readStretch(text, start, end, 'section'), true);
    } else {
      const token = text.slice(this.#offset, this.#offset + 3);
      throw this.#error(WORDING.unexpectedToken(token, '<!--'), this.#offset + 2);
    }
  }

  #readComment(): void {
    const start = this.#offset + 4;
    const end = this.#find('--', start, 'Comment');
    refuseForbidden(this.#text, start, end);
    if (this.#text.charCodeAt(end + 2) !== GREATER) throw this.#error(WORDING.commentDashes, end);
    this.#offset = end + 3;
    this.#handler.interruption();
  }

  #readInstruction(): void {
    const text = this.#text;
    const offset = this.#offset;
    if (beginsDeclaration(text, offset)) throw this.#error(WORDING.lateDeclaration, offset + 2);
    const nameEnd = this.#skipName(offset + 2);
    const end = this.#find('?>', nameEnd, 'PI');
    if (end > nameEnd && skipWhiteSpace(text, nameEnd) === nameEnd) {
      throw this.#error(WORDING.nameCharacter(codeAt(text, nameEnd)), nameEnd);
    }
    refuseForbidden(text, nameEnd, end);
    this.#offset = end + 2;
    this.#handler.interruption();
  }

  #readStartTag(): void {
    const text = this.#text;
    const offset = this.#offset;
    const position = this.#startTags;
    const declared = this.#scope.size;
    this.#startTags = position + 1;
    const known = this.#memory.find(position, text, offset);
    if (known !== undefined) {
      this.#attributes.recall(known.declarations);
      this.#offset = offset + known.text.length;
    }
    const tag = known?.tag ?? this.#parseStartTag(offset + 1);
    const namespace = this.#scope.find(tag.prefix);
    if (namespace === undefined) throw this.#error(WORDING.undeclaredPrefix(tag.prefix), offset + 1);
    if (known === undefined && this.#memory.wants(position)) {
      this.#memory.keep(position, text.slice(offset, this.#offset), tag, this.#attributes.declarationsAlone);
    }
    this.#open.push({ name: tag.name, start: offset + 1, declared });
    this.#nameOffset = offset + 1;
    this.#handler.startElement(tag.local, namespace, this.#attributes);
    if (tag.isEmptyTag) this.#leave(true);
  }

  #parseStartTag(start: number): StartTag {
    const text = this.#text;
    const colon = this.#skipName(start);
    const hasPrefix = text.charCodeAt(colon) === COLON;
    const end = hasPrefix ? this.#skipName(colon + 1) : colon;
    if (end - start > this.#bounds.xmlNameCharacters) this.#bounds.refuse('name');
    const close = this.#attributes.read(text, end);
    const isEmptyTag = text.charCodeAt(close) === SLASH;
    this.#offset = isEmptyTag ? close + 2 : close + 1;
    const name = text.slice(start, end);
    return {
      name,
      prefix: hasPrefix ? text.slice(start, colon) : '',
      local: hasPrefix ? text.slice(colon + 1, end) : name,
      isEmptyTag,
    };
  }

  #readEndTag(): void {
    const text = this.#text;
    const start = this.#offset + 2;
    const name = this.#open.at(-1)?.name ?? '';
    const end = start + name.length;
    if (!text.startsWith(name, start) || !endsTagName(text.charCodeAt(end)))
      throw this.#mismatch(start, name);
    const close = skipWhiteSpace(text, end);
    if (text.charCodeAt(close) !== GREATER) {
      if (close >= text.length) throw this.#unclosed();
      throw this.#error(WORDING.unexpectedToken(String.fromCodePoint(codeAt(text, close)), '>'), close);
    }
    this.#offset = close + 1;
    this.#nameOffset = start;
    this.#leave(false);
  }

  #leave(isEmptyTag: boolean): void {
    this.#handler.endElement(isEmptyTag);
    const declared = this.#open.pop()?.declared ?? 0;
    if (this.#scope.size > declared) this.#scope.shrink(declared);
  }

  /** Skips a name without a colon. */
  #skipName(start: number): number {
    const code = codeAt(this.#text, start);
    if (!isNameStart(code)) {
      if (start >= this.#text.length) throw this.#error(WORDING.endOfFileIn('Name'), start);
      throw this.#error(WORDING.nameStart(code), start);
    }
    return skipNameCharacters(this.#text, start);
  }

  #find(terminator: string, start: number, what: string): number {
    const found = this.#text.indexOf(terminator, start);
    if (found < 0) throw this.#error(WORDING.endOfFileIn(what), this.#text.length);
    return found;
  }

  #mismatch(start: number, name: string): XmlSyntaxError {
    const found = /^[^\s>/<]*/.exec(this.#text.slice(start, start + 1024))?.[0] ?? '';
    if (start + found.length >= this.#text.length) {
      return found === name ? this.#unclosed() : this.#error(WORDING.endOfFileIn('Name'), this.#text.length);
    }
    if (found === '') return this.#error(WORDING.nameStart(codeAt(this.#text, start)), start);
    const { line, column } = textPosition(this.#text, this.#open.at(-1)?.start ?? 0);
    return this.#error(WORDING.tagMismatch(name, line, column, found), start);
  }

  #unclosed(): XmlSyntaxError {
    const names = this.#open.map(({ name }) => name).reverse();
    return this.#error(WORDING.unclosed(names), this.#text.length);
  }

  #error(message: string, offset: number): XmlSyntaxError {
    return new XmlSyntaxError(message, this.#text, offset);
  }
}
