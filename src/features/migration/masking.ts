import { numberText, shown } from '../../support/text';

// Texts that every server of this protocol uses. Their words are not personal, and are what a reader looks
// for.
const TEXTS = `
Server was unable to process request. Server was unable to read request.
There is an error in XML document. Input string was not in a correct format.
Value was either too large or too small for a UInt16.
Server did not recognize the value of HTTP Header SOAPAction
Unable to handle request without a valid action parameter. Please supply a valid soap action.
Unable to handle request. The action was not recognized.
Request format is invalid: Missing required soap:Body element. Missing required soap:Envelope element.
Request format is unrecognized for URL unexpectedly ending in
Root element is missing. Data at the root level is invalid. Line, position.
DTD is prohibited in this XML document.
SOAP header was not understood. MustUnderstand VersionMismatch Client Server Sender Receiver
Possible SOAP version mismatch: Envelope namespace was unexpected. Expecting
An error occurred on the server. Missing parameter Parameter name methodName type
Web Service method name is not valid. Invalid method name, method names are case sensitive.
The method name with the same name but different casing was found.
Cannot convert to System.Char. String must be exactly one character long.
Operation is not valid due to the current state of the object. Maximum request length exceeded.
There was an exception running the extensions specified in the config file.
Object reference not set to an instance of an object. Exception of type was thrown.
XML Web service description was not found. Schema not found. Server Too Busy Bad Request
A potentially dangerous Request.QueryString Request.Form Request.Path value was detected from the client
Internal Server Error Service Unavailable Not Found Method Not Allowed Unsupported Media Type
Only Web services with a ScriptService attribute on the class definition can be called from script.
soap soap12 xsd xsi xml version encoding utf-8 utf-16 iso-8859-1 iso-8859-9 windows-1254 us-ascii
text html plain xml application json charset octet-stream form-data urlencoded www form multipart boundary
private public max-age no-cache no-store must-revalidate s-maxage
GET POST HEAD PUT DELETE PATCH OPTIONS TRACE gzip deflate br identity
Basic Digest NTLM Negotiate Bearer realm nonce algorithm qop stale
Secure HttpOnly SameSite Path Domain Accept-Encoding Cookie Origin
nil true false
`;

/** Words of those texts, in their spelling; a single letter may be a mark in a school. */
const PROTOCOL_WORDS: ReadonlySet<string> = new Set(TEXTS.match(/[A-Za-z]{2,}/g));

/** Maximum number of characters examined of a value, and number of them before the first difference. */
const MAX_CHARACTERS = 80;
const BEFORE = 16;

// Namespaces of the protocol and class names of .NET, words, and digits.
const PIECES =
  /https?:\/\/(?:schemas\.xmlsoap\.org|www\.w3\.org|microsoft\.com|tempuri\.org)\/[A-Za-z/]*|\bSystem(?:\.[A-Z][A-Za-z]*)+|\p{L}[\p{L}\p{M}]*|[\p{N}\p{M}]/gu;

/**
 * Masks a value that may be personal, keeping its shape. Letters become `x` and `X`, non-ASCII ones `é` and
 * `É`, digits `9`; punctuation and U+FFFD stay. Words, namespaces and class names of the protocol stay
 * unchanged, because they are the same everywhere.
 */
export function maskedWords(text: string): string {
  return text.replace(PIECES, (piece) => {
    if (PROTOCOL_WORDS.has(piece) || piece.includes('://') || piece.includes('.')) return piece;
    return piece.replace(/./gsu, maskedCharacter);
  });
}

function maskedCharacter(character: string): string {
  if (/\p{N}/u.test(character)) return '9';
  const isAscii = character < '\x80';
  if (/\p{Lu}/u.test(character)) return isAscii ? 'X' : 'É';
  return isAscii ? 'x' : 'é';
}

/** Masks the beginning of a value, in one line that is safe for a terminal. */
export function maskedText(text: string): string {
  return window(text, 0);
}

/** Masks two values around their first difference. */
export function maskedValues(old: string, ours: string): { readonly old: string; readonly ours: string } {
  const length = Math.min(old.length, ours.length);
  let at = 0;
  while (at < length && old.charCodeAt(at) === ours.charCodeAt(at)) at += 1;
  const from = at < MAX_CHARACTERS - BEFORE ? 0 : at - BEFORE;
  return { old: window(old, from), ours: window(ours, from) };
}

function window(text: string, from: number): string {
  const piece = maskedWords(text.slice(from, from + MAX_CHARACTERS).toWellFormed());
  const visible = shown(piece.replaceAll('\r', '\\r').replaceAll('\n', '\\n').replaceAll('\t', '\\t'));
  const before = from > 0 ? '…' : '';
  return from + MAX_CHARACTERS < text.length
    ? `${before}${visible}… (${numberText(text.length)} characters)`
    : before + visible;
}

// An escape for a character, as long as those that make up one in UTF-8; .NET writes %uXXXX.
const ESCAPES = /%u[0-9a-f]{4}|%[c-f][0-9a-f](?:%[89ab][0-9a-f])+|%[0-9a-f]{2}/gi;
const NAME = /^[A-Za-z_][\w.[\]-]{0,63}$/;
/** Matches what a real name does not contain, to detect values in the place of names. */
const LONG_NUMBER = /\d{3}/;
/** Queries without a value that request a document. */
const DOCUMENTS = new Set(['wsdl', 'disco', 'schema', 'singlewsdl']);

/** Masks a query string or a form: names stay, values keep their shape and their escaping. */
export function maskedForm(text: string): string {
  return text
    .split('&')
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 0) return DOCUMENTS.has(pair.toLowerCase()) ? pair : maskedEscapes(pair);
      const name = pair.slice(0, equals);
      return `${isName(name) ? name : maskedEscapes(name)}=${maskedEscapes(pair.slice(equals + 1))}`;
    })
    .join('&');
}

/** Masks a path: segments that are names stay, such as those of endpoints and operations. */
export function maskedPath(path: string): string {
  return path
    .split('/')
    .map((segment) => (segment === '' || isName(segment) ? segment : maskedEscapes(segment)))
    .join('/');
}

function isName(text: string): boolean {
  return NAME.test(text) && !LONG_NUMBER.test(text);
}

function maskedEscapes(text: string): string {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(ESCAPES)) {
    result += maskedWords(text.slice(from, match.index)) + maskedEscape(match[0]);
    from = match.index + match[0].length;
  }
  return result + maskedWords(text.slice(from));
}

function maskedEscape(escape: string): string {
  if (/^%u/i.test(escape)) return '%u00E9';
  if (escape.length > 3) return '%C3%A9';
  const code = Number.parseInt(escape.slice(1), 16);
  if (code >= 0x80) return '%E9';
  const character = maskedWords(String.fromCharCode(code));
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

// Comments, CDATA sections, instructions and tags; an unclosed one extends to the end of the text.
const MARKUP = /<!--|<!\[CDATA\[|<[?/A-Za-z_!]/g;
const ENDS: Readonly<Record<string, string>> = { '<!--': '-->', '<![CDATA[': ']]>', '<?': '?>' };
const ATTRIBUTE = /(?<![^\s=<>"'/])([^\s=<>"'/]+)(\s*=\s*)("[^"]*"|'[^']*')/g;
const REFERENCE = /&(?:amp|lt|gt|quot|apos|#x?[0-9a-f]{1,6});/gi;
/** Attributes of the protocol, whose values are not personal. */
const PROTOCOL =
  /^(?:xmlns(?::.*)?|version|encoding|standalone|[^:]+:(?:mustUnderstand|type|nil|encodingStyle|lang))$/;

/**
 * Masks XML, well-formed or not: names and the protocol's own attributes stay, texts and other values keep
 * their shape.
 */
export function maskedMarkup(text: string): string {
  let result = '';
  let from = 0;
  for (;;) {
    MARKUP.lastIndex = from;
    const open = MARKUP.exec(text);
    if (open === null) return result + maskedContent(text.slice(from));
    result += maskedContent(text.slice(from, open.index));
    const start = ENDS[open[0]] === undefined ? '<' : open[0];
    const end = ENDS[open[0]] ?? '>';
    const close = text.indexOf(end, open.index + start.length);
    const inside = text.slice(open.index + start.length, close < 0 ? text.length : close);
    result +=
      start +
      (end === '>' || end === '?>' ? maskedTag(inside) : maskedWords(inside)) +
      (close < 0 ? '' : end);
    if (close < 0) return result;
    from = close + end.length;
  }
}

/** Masks a text but keeps references: the escaping may be the point of the example. */
function maskedContent(text: string): string {
  let result = '';
  let from = 0;
  for (const match of text.matchAll(REFERENCE)) {
    const isNamed = !match[0].startsWith('&#');
    result += maskedWords(text.slice(from, match.index)) + (isNamed ? match[0] : '&#120;');
    from = match.index + match[0].length;
  }
  return result + maskedWords(text.slice(from));
}

function maskedTag(inside: string): string {
  const name = /^[/!]?[^\s=<>"']{0,256}/.exec(inside)?.[0] ?? '';
  const rest = inside.slice(name.length);
  let result = name;
  let from = 0;
  for (const match of rest.matchAll(ATTRIBUTE)) {
    const [all, attribute = '', equals = '', value = ''] = match;
    result += maskedWords(rest.slice(from, match.index));
    const isProtocol = PROTOCOL.test(attribute) && value.length < 200;
    result += attribute + equals + (isProtocol ? value : maskedContent(value));
    from = match.index + all.length;
  }
  return result + maskedWords(rest.slice(from));
}
