import { maskedWords } from './masked-text';

// An escape that stands for a character, as long as what makes up one in UTF-8; %uXXXX as .NET writes it.
const ESCAPES = /%u[0-9a-f]{4}|%[c-f][0-9a-f](?:%[89ab][0-9a-f])+|%[0-9a-f]{2}/gi;
const NAME = /^[A-Za-z_][\w.[\]-]{0,63}$/;
/** What a name does not have, where a value stands in the place of one. */
const LONG_NUMBER = /\d{3}/;
/** Queries without a value that ask for a document. */
const DOCUMENTS = new Set(['wsdl', 'disco', 'schema', 'singlewsdl']);

/** A query string or a form: names stay, values keep their shape and how they are escaped. */
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

/** A path: segments that are names stay, such as those of endpoints and operations. */
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
