export interface XmlLimits {
  /** Deepest nesting of elements, the root counting as 1. */
  readonly xmlDepth: number;
  /** Maximum number of attributes on one element, namespace declarations included. */
  readonly xmlAttributes: number;
  /** Maximum number of elements. */
  readonly xmlElements: number;
  /** Longest name of an element or an attribute, with its prefix, in characters. */
  readonly xmlNameCharacters: number;
}

/** Limits that a reader enforces itself while reading. */
export interface XmlBounds extends Pick<XmlLimits, 'xmlAttributes' | 'xmlNameCharacters'> {
  /** Reports an exceeded limit by throwing. */
  refuse(what: 'attributes' | 'name'): never;
}

export const UNBOUNDED: XmlBounds = {
  xmlAttributes: Infinity,
  xmlNameCharacters: Infinity,
  refuse: (what) => {
    throw new Error(`Without a bound, too much of ${what}.`);
  },
};

/**
 * Returns line and column, both from 1, of an offset in a document: CRLF, CR and LF each end a line, and a
 * column is a UTF-16 unit, as .NET's readers count.
 */
export function textPosition(
  text: string,
  offset: number,
): { readonly line: number; readonly column: number } {
  let line = 1;
  let lineStart = 0;
  for (let index = 0; index < offset; index += 1) {
    const character = text[index];
    if (character !== '\n' && character !== '\r') continue;
    if (character === '\r' && text[index + 1] === '\n') index += 1;
    line += 1;
    lineStart = index + 1;
  }
  return { line, column: offset - lineStart + 1 };
}

/**
 * Thrown for malformed XML, with the message of .NET's XmlTextReader. The text reaches callers if a request
 * without an action is malformed before Body's first child (wire contract, section 3, step 2).
 */
export class XmlSyntaxError extends Error {
  override readonly name = 'XmlSyntaxError';

  /**
   * @param text the document
   * @param offset position of the reader; undefined for errors that .NET reports without a position
   */
  constructor(message: string, text: string, offset?: number) {
    super(offset === undefined ? message : `${message} ${place(text, offset)}`);
  }
}

function place(text: string, offset: number): string {
  const { line, column } = textPosition(text, offset);
  return `Line ${String(line)}, position ${String(column)}.`;
}

/** Messages; each takes the names it mentions. */
export const WORDING = {
  rootMissing: 'Root element is missing.',
  rootData: 'Data at the root level is invalid.',
  multipleRoots: 'There are multiple root elements.',
  dtd: 'DTD is prohibited in this XML document.',
  declaration: 'Syntax for an XML declaration is invalid.',
  lateDeclaration:
    'Unexpected XML declaration. The XML declaration must be the first node in the document, and no white space characters are allowed to appear before it.',
  version: (version: string) => `Version number '${version}' is invalid.`,
  tagMismatch: (start: string, line: number, column: number, end: string) =>
    `The '${start}' start tag on line ${String(line)} position ${String(column)} does not match the end tag of '${end}'.`,
  unexpectedEndTag: 'Unexpected end tag.',
  unclosed: (names: readonly string[]) =>
    `Unexpected end of file has occurred. The following elements are not closed: ${names.join(', ')}.`,
  endOfFileIn: (what: string) => `Unexpected end of file while parsing ${what} has occurred.`,
  undeclaredPrefix: (prefix: string) => `'${prefix}' is an undeclared prefix.`,
  reservedPrefix: (prefix: string) =>
    `Prefix "${prefix}" is reserved for use by XML and cannot be bound to this namespace name.`,
  emptyNamespace: 'Invalid namespace declaration.',
  duplicateAttribute: (name: string) => `'${name}' is a duplicate attribute name.`,
  undeclaredEntity: (name: string) => `Reference to undeclared entity '${name}'.`,
  entityName: 'An error occurred while parsing EntityName.',
  invalidCharacter: (code: number) => `${describe(code)} is an invalid character.`,
  invalidAttributeCharacter: (code: number) => `${describe(code)} is an invalid attribute character.`,
  nameStart: (code: number) =>
    `Name cannot begin with the '${shown(code)}' character, hexadecimal value ${hex(code)}.`,
  nameCharacter: (code: number) =>
    `The '${shown(code)}' character, hexadecimal value ${hex(code)}, cannot be included in a name.`,
  unexpectedToken: (token: string, expected: string) =>
    `'${token}' is an unexpected token. The expected token is '${expected}'.`,
  expectedWhiteSpace: (token: string) => `'${token}' is an unexpected token. Expecting white space.`,
  cdataEnd: "']]>' is not allowed in character data.",
  commentDashes: "An XML comment cannot contain '--', and '-' cannot be the last character.",
} as const;

function describe(code: number): string {
  return `'${shown(code)}', hexadecimal value ${hex(code)},`;
}

function shown(code: number): string {
  return code === 0 || code > 0x10ffff ? '.' : String.fromCodePoint(code).toWellFormed();
}

function hex(code: number): string {
  return `0x${code.toString(16).toUpperCase().padStart(2, '0')}`;
}
