import { ownText } from '../../support/own-text';
import {
  codeAt,
  isNameStart,
  isXmlCharacter,
  readStretch,
  skipNameCharacters,
  skipPlainValue,
  skipWhiteSpace,
} from './xml-characters';
import type { NamespaceDeclaration } from './tag-memory';
import { WORDING, type XmlBounds, XmlSyntaxError } from './xml-syntax-error';

const XML = 'http://www.w3.org/XML/1998/namespace';
const XMLNS = 'http://www.w3.org/2000/xmlns/';
/** Number of prefixes whose stacks are kept for the next document, and their total length in characters. */
const MAX_KEPT = 32;
const MAX_KEPT_CHARACTERS = 4096;

/**
 * The namespaces in scope while a document is read: one stack of names per prefix, so that a look-up costs
 * the same however many declarations a hostile document makes.
 */
export class NamespaceScope {
  readonly #stacks = new Map<string, string[]>();
  /** Total length of the prefixes. */
  #characters = 0;
  /** Declarations in document order, for undoing them. */
  readonly #declared: NamespaceDeclaration[] = [];

  constructor() {
    this.#forget();
  }

  /** Forgets the declarations of a document. */
  reset(): void {
    this.shrink(0);
    // A single document must not fill the memory with its prefixes.
    if (this.#stacks.size > MAX_KEPT || this.#characters > MAX_KEPT_CHARACTERS) this.#forget();
  }

  #forget(): void {
    this.#stacks.clear();
    this.#characters = 0;
    this.#stacks.set('xml', [XML]);
    this.#stacks.set('', ['']);
  }

  /** Number of declarations in force; for {@link shrink}. */
  get size(): number {
    return this.#declared.length;
  }

  /** Returns true if Namespaces in XML 1.0 allow the declaration. */
  static allows(prefix: string, namespace: string): boolean {
    if (prefix === 'xmlns' || namespace === XMLNS) return false;
    if ((prefix === 'xml') !== (namespace === XML)) return false;
    return prefix === '' || namespace !== '';
  }

  declare(declaration: NamespaceDeclaration): void {
    const { prefix, namespace } = declaration;
    const stack = this.#stacks.get(prefix);
    if (stack === undefined) {
      this.#stacks.set(ownText(prefix), [namespace]);
      this.#characters += prefix.length;
    } else stack.push(namespace);
    this.#declared.push(declaration);
  }

  latest(count: number): readonly NamespaceDeclaration[] {
    return this.#declared.slice(this.#declared.length - count);
  }

  /**
   * Returns the namespace of a prefix, empty for no prefix and no default; undefined for an undeclared
   * prefix.
   */
  find(prefix: string): string | undefined {
    return this.#stacks.get(prefix)?.at(-1);
  }

  /** Undoes the latest declarations until `size` remain. */
  shrink(size: number): void {
    while (this.#declared.length > size) this.#stacks.get(this.#declared.pop()?.prefix ?? '')?.pop();
  }
}

const EQUALS = 0x3d;
const GREATER = 0x3e;
const SLASH = 0x2f;
const COLON = 0x3a;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
// Above this number, comparing all pairs costs more than a set.
const FEW = 8;

/** The attributes of one start tag; the object is reused for the next. */
export class XmlAttributes {
  readonly #scope: NamespaceScope;
  readonly #bounds: XmlBounds;
  #count = 0;
  /** How many declarations the tag makes. */
  #declared = 0;
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  readonly #offsets: number[] = [];

  constructor(scope: NamespaceScope, bounds: XmlBounds) {
    this.#scope = scope;
    this.#bounds = bounds;
  }

  /** Forgets the attributes of the last tag: they are parts of its document. */
  reset(): void {
    this.#count = 0;
    this.#declared = 0;
    this.#names.length = 0;
    this.#values.length = 0;
  }

  /** True without any attributes, including declarations. */
  get isEmpty(): boolean {
    return this.#count === 0 && this.#declared === 0;
  }

  /** The declarations of a tag that was just read, in order; undefined if it has other attributes. */
  get declarationsAlone(): readonly NamespaceDeclaration[] | undefined {
    return this.#count === this.#declared ? this.#scope.latest(this.#declared) : undefined;
  }

  /** Puts the declarations of a tag that was read before, and has no other attributes, into the scope. */
  recall(declarations: readonly NamespaceDeclaration[]): void {
    this.#count = 0;
    this.#declared = declarations.length;
    for (const declaration of declarations) this.#scope.declare(declaration);
  }

  /** Calls back for each attribute except namespace declarations, in order, with the offset of its name. */
  forEach(callback: (local: string, namespace: string, value: string, offset: number) => void): void {
    for (let index = 0; index < this.#count; index += 1) {
      const name = this.#names[index] ?? '';
      if (declaredPrefix(name) !== undefined) continue;
      const colon = name.indexOf(':');
      const namespace = colon < 0 ? '' : (this.#scope.find(name.slice(0, colon)) ?? '');
      callback(name.slice(colon + 1), namespace, this.#values[index] ?? '', this.#offsets[index] ?? 0);
    }
  }

  /**
   * Reads the attributes after an element's name and adds their declarations to the scope.
   *
   * @returns the offset of the tag's `>` or `/>`
   * @throws XmlSyntaxError
   */
  read(text: string, start: number): number {
    this.#count = 0;
    this.#declared = 0;
    let prefixed = 0;
    let offset = start;
    for (;;) {
      const next = skipWhiteSpace(text, offset);
      const code = text.charCodeAt(next);
      if (code === GREATER) {
        offset = next;
        break;
      }
      if (code === SLASH) {
        if (text.charCodeAt(next + 1) !== GREATER) {
          throw new XmlSyntaxError(WORDING.unexpectedToken(tokenAt(text, next + 1), '>'), text, next + 1);
        }
        offset = next;
        break;
      }
      if (next >= text.length) throw new XmlSyntaxError(WORDING.endOfFileIn('Name'), text, text.length);
      if (next === offset) {
        if (offset === start) throw new XmlSyntaxError(WORDING.nameCharacter(code), text, next);
        throw new XmlSyntaxError(WORDING.expectedWhiteSpace(tokenAt(text, next)), text, next);
      }
      offset = this.#readAttribute(text, next);
      const name = this.#names[this.#count - 1] ?? '';
      const prefix = declaredPrefix(name);
      if (prefix !== undefined) {
        this.#declare(text, prefix);
      } else if (name.includes(':')) prefixed += 1;
    }
    if (this.#count > 1) this.#refuseDuplicates(text, prefixed > 1);
    if (prefixed > 0) this.#refuseUndeclared(text);
    return offset;
  }

  #readAttribute(text: string, start: number): number {
    let end = skipName(text, start);
    if (text.charCodeAt(end) === COLON) end = skipName(text, end + 1);
    const equals = skipWhiteSpace(text, end);
    if (text.charCodeAt(equals) !== EQUALS) {
      throw new XmlSyntaxError(WORDING.unexpectedToken(tokenAt(text, equals), '='), text, equals);
    }
    const open = skipWhiteSpace(text, equals + 1);
    const quote = text.charCodeAt(open);
    if (quote !== DOUBLE_QUOTE && quote !== SINGLE_QUOTE) {
      throw new XmlSyntaxError(WORDING.unexpectedToken(tokenAt(text, open), `"' or '''`), text, open);
    }
    const plainEnd = skipPlainValue(text, open + 1);
    const isPlain = text.charCodeAt(plainEnd) === quote;
    const close = isPlain ? plainEnd : text.indexOf(quote === DOUBLE_QUOTE ? '"' : "'", plainEnd);
    if (close < 0) throw new XmlSyntaxError(WORDING.endOfFileIn('AttributeValue'), text, text.length);
    if (this.#count >= this.#bounds.xmlAttributes) this.#bounds.refuse('attributes');
    if (end - start > this.#bounds.xmlNameCharacters) this.#bounds.refuse('name');
    const index = this.#count;
    this.#names[index] = text.slice(start, end);
    this.#values[index] = isPlain ? text.slice(open + 1, close) : readValue(text, open + 1, close);
    this.#offsets[index] = start;
    this.#count = index + 1;
    return close + 1;
  }

  #declare(text: string, prefix: string): void {
    const index = this.#count - 1;
    const namespace = this.#values[index] ?? '';
    if (!NamespaceScope.allows(prefix, namespace)) {
      const wording =
        prefix !== '' && namespace === '' ? WORDING.emptyNamespace : WORDING.reservedPrefix(prefix);
      throw new XmlSyntaxError(wording, text, this.#offsets[index]);
    }
    this.#scope.declare({ prefix, namespace });
    this.#declared += 1;
  }

  #refuseUndeclared(text: string): void {
    for (let index = 0; index < this.#count; index += 1) {
      const name = this.#names[index] ?? '';
      const colon = name.indexOf(':');
      if (colon < 0 || declaredPrefix(name) !== undefined) continue;
      const prefix = name.slice(0, colon);
      if (this.#scope.find(prefix) === undefined) {
        throw new XmlSyntaxError(WORDING.undeclaredPrefix(prefix), text, this.#offsets[index]);
      }
    }
  }

  /** @param resolve true if names of different spelling may be equal because they have prefixes */
  #refuseDuplicates(text: string, resolve: boolean): void {
    const count = this.#count;
    const seen = count > FEW || resolve ? new Set<string>() : undefined;
    for (let index = 0; index < count; index += 1) {
      const name = this.#names[index] ?? '';
      if (seen === undefined ? this.#names.indexOf(name) < index : seen.has(this.#key(name, resolve))) {
        throw new XmlSyntaxError(WORDING.duplicateAttribute(name), text, this.#offsets[index]);
      }
      seen?.add(this.#key(name, resolve));
    }
  }

  #key(name: string, resolve: boolean): string {
    const colon = resolve ? name.indexOf(':') : -1;
    if (colon < 0 || name.startsWith('xmlns:')) return name;
    return `{${this.#scope.find(name.slice(0, colon)) ?? name}}${name.slice(colon + 1)}`;
  }
}

/**
 * Returns the prefix that an attribute declares, empty for the default namespace; undefined for other
 * attributes.
 */
function declaredPrefix(name: string): string | undefined {
  if (!name.startsWith('xmlns')) return undefined;
  if (name.length === 5) return '';
  return name.charCodeAt(5) === COLON ? name.slice(6) : undefined;
}

function skipName(text: string, start: number): number {
  const code = codeAt(text, start);
  if (!isNameStart(code)) throw new XmlSyntaxError(WORDING.nameStart(code), text, start);
  return skipNameCharacters(text, start);
}

function readValue(text: string, start: number, end: number): string {
  for (let index = start; index < end; index += 1) {
    const code = text.charCodeAt(index);
    const isSurrogate = code >= 0xd800 && code <= 0xdfff;
    if (code === 0x3c || (!isSurrogate && !isXmlCharacter(code))) {
      const wording =
        code === 0x3c ? WORDING.invalidAttributeCharacter(code) : WORDING.invalidCharacter(code);
      throw new XmlSyntaxError(wording, text, index);
    }
  }
  return readStretch(text, start, end, 'value');
}

function tokenAt(text: string, offset: number): string {
  return String.fromCodePoint(text.codePointAt(offset) ?? 0x2e);
}
