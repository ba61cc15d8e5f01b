import { textPosition } from './text-position';

/** Where and why the XML parser gave up. */
export interface ParserFailure {
  readonly text: string;
  /** Offset up to which the parser had read. */
  readonly offset: number;
  /** The parser's own message. */
  readonly saxMessage: string;
  /** Names of the open elements, outermost first. */
  readonly openNames: readonly string[];
  /** The element that the parser closed last, and the offset behind its start tag. */
  readonly lastClosed: { readonly name: string; readonly startTagEnd: number };
}

/**
 * Words a parser failure as .NET's XmlTextReader does, position included. The text reaches callers where a
 * request without an action breaks before Body's first child (wire contract, section 3, step 2); elsewhere a
 * malformed request is answered without a text.
 */
export function parserMessage(failure: ParserFailure): string {
  const { text, openNames, saxMessage } = failure;
  if (openNames.length === 0 && !hasClosedRoot(failure)) {
    const prolog = prologMessage(text);
    if (prolog !== undefined) return prolog;
  }
  for (const [pattern, word] of WORDINGS) {
    const match = pattern.exec(saxMessage);
    if (match !== null) return word(failure, match[1] ?? '');
  }
  return at(text, failure.offset - 1, invalidToken(text, failure.offset - 1));
}

type Wording = (failure: ParserFailure, detail: string) => string;

const WORDINGS: readonly (readonly [RegExp, Wording])[] = [
  [/un(?:expected close|matched closing) tag/, tagMismatch],
  [/unclosed tag|unexpected end|must contain a root/, unexpectedEnd],
  [/unbound namespace prefix: "(.*)"/, undeclaredPrefix],
  [/duplicate attribute: (?:\{.*\})?(.*)\./, duplicateAttribute],
  [/undefined entity/, undeclaredEntity],
  [/malformed character entity/, invalidReference],
  [/entity name|disallowed character in entity/, brokenEntity],
  [/disallowed character\.$/, invalidCharacter],
  [/XML declaration must (?:be|appear) at the start/, lateDeclaration],
];

// The root is closed when a start tag lies before the failure and none is open.
function hasClosedRoot(failure: ParserFailure): boolean {
  return (
    /^(?:\s|<\?[^]*?\?>|<!--[^]*?-->)*<[^?!]/.test(failure.text.slice(0, failure.offset)) &&
    /outside of root|only one root/.test(failure.saxMessage)
  );
}

/** The errors that lie before the root element, or undefined where the root's start tag itself is broken. */
function prologMessage(text: string): string | undefined {
  const skipped = /^(?:[ \t\r\n]|<\?(?!xml[ \t\r\n])[^]*?\?>|<!--[^]*?-->)*/;
  const declared = /^<\?xml[ \t\r\n][^]*?\?>/.exec(text)?.[0].length ?? 0;
  const offset = declared + (skipped.exec(text.slice(declared))?.[0].length ?? 0);
  const rest = text.slice(offset, offset + 9);
  if (rest === '') return 'Root element is missing.';
  if (rest.startsWith('<!DOCTYPE')) return 'DTD is prohibited in this XML document.';
  if (/^<\?xml[ \t\r\n]/.test(rest) && offset > 0) return at(text, offset + 2, LATE_DECLARATION);
  if (rest.startsWith('<')) return undefined;
  if (isForbidden(rest.charCodeAt(0))) return at(text, offset, invalidCharacterText(text, offset));
  return at(text, offset, 'Data at the root level is invalid.');
}

const LATE_DECLARATION =
  'Unexpected XML declaration. The XML declaration must be the first node in the document, and no white space characters are allowed to appear before it.';

function lateDeclaration({ text, offset }: ParserFailure): string {
  return at(text, text.lastIndexOf('<?', offset) + 2, LATE_DECLARATION);
}

function tagMismatch({ text, offset, lastClosed }: ParserFailure): string {
  const end = text.lastIndexOf('</', offset) + 2;
  const name = /^[^\s>]*/.exec(text.slice(end, end + 1024))?.[0] ?? '';
  const start = textPosition(text, text.lastIndexOf('<', lastClosed.startTagEnd - 1) + 1);
  return at(
    text,
    end,
    `The '${lastClosed.name}' start tag on line ${String(start.line)} position ${String(start.column)} does not match the end tag of '${name}'.`,
  );
}

function unexpectedEnd({ text, openNames }: ParserFailure): string {
  const tag = text.lastIndexOf('<');
  if (tag > text.lastIndexOf('>') && /^<\/?[^\s/>]*$/.test(text.slice(tag))) {
    return at(text, text.length, 'Unexpected end of file while parsing Name has occurred.');
  }
  if (openNames.length === 0) return at(text, text.length, 'Unexpected end of file has occurred.');
  const names = [...openNames].reverse().join(', ');
  return at(
    text,
    text.length,
    `Unexpected end of file has occurred. The following elements are not closed: ${names}.`,
  );
}

function undeclaredPrefix({ text, offset }: ParserFailure, prefix: string): string {
  const tag = text.lastIndexOf('<', offset - 1);
  const place = text.indexOf(`${prefix}:`, tag);
  return at(text, place < 0 ? tag + 1 : place, `'${prefix}' is an undeclared prefix.`);
}

function duplicateAttribute({ text, offset }: ParserFailure, name: string): string {
  const first = text.lastIndexOf('<', offset - 1);
  const matches = [
    ...text.slice(first, offset).matchAll(new RegExp(`\\s((?:[^\\s=<>]+:)?${escapeRegExp(name)})\\s*=`, 'g')),
  ];
  const second = matches.at(-1);
  const place = second === undefined ? first + 1 : first + second.index + 1;
  return at(text, place, `'${second?.[1] ?? name}' is a duplicate attribute name.`);
}

function undeclaredEntity({ text, offset }: ParserFailure): string {
  const start = text.lastIndexOf('&', offset - 1) + 1;
  const name = /^[^;]*/.exec(text.slice(start, offset))?.[0] ?? '';
  return at(text, start, `Reference to undeclared entity '${name}'.`);
}

function brokenEntity({ text, offset }: ParserFailure): string {
  return at(text, text.lastIndexOf('&', offset - 1) + 1, 'An error occurred while parsing EntityName.');
}

function invalidReference({ text, offset }: ParserFailure): string {
  const start = text.lastIndexOf('&', offset - 1);
  const digits = /^&#(x?)([0-9a-fA-F]*)/.exec(text.slice(start, start + 16));
  const code = Number.parseInt(digits?.[2] ?? '', digits?.[1] === 'x' ? 16 : 10);
  return at(text, start + 2, characterText(Number.isNaN(code) ? 0 : code));
}

function invalidCharacter(failure: ParserFailure): string {
  const { text, offset } = failure;
  const place = offset - 1;
  if (isForbidden(text.charCodeAt(place))) return at(text, place, invalidCharacterText(text, place));
  if (text.lastIndexOf('&', place) > text.lastIndexOf('<', place)) return brokenEntity(failure);
  return at(text, place, invalidToken(text, place));
}

function invalidCharacterText(text: string, offset: number): string {
  return characterText(text.charCodeAt(offset));
}

// A character that cannot be written is shown as a dot.
function characterText(code: number): string {
  const hex = code.toString(16).toUpperCase().padStart(2, '0');
  const shown = isForbidden(code)
    ? code === 0
      ? '.'
      : String.fromCharCode(code & 0xffff)
    : String.fromCodePoint(code);
  return `'${shown.toWellFormed()}', hexadecimal value 0x${hex}, is an invalid character.`;
}

function invalidToken(text: string, offset: number): string {
  const character = String.fromCodePoint(text.codePointAt(Math.max(offset, 0)) ?? 0);
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(2, '0');
  return `Name cannot begin with the '${character}' character, hexadecimal value 0x${hex}.`;
}

function isForbidden(code: number): boolean {
  return (
    (code < 0x20 && code !== 0x09 && code !== 0x0a && code !== 0x0d) ||
    code === 0xfffe ||
    code === 0xffff ||
    (code >= 0xd800 && code <= 0xdfff) ||
    code > 0x10ffff
  );
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function at(text: string, offset: number, message: string): string {
  const { line, column } = textPosition(text, offset);
  return `${message} Line ${String(line)}, position ${String(column)}.`;
}
