import { decodeXmlBody, readMediaType } from '../../asmx';
import { maskedForm, maskedMarkup, maskedPath, maskedWords } from '../masking';
import { headerOf, type HttpRequest } from '../messages';

/** Maximum number of characters shown of a target and of a body. */
const MAX_TARGET_CHARACTERS = 2000;
const MAX_BODY_CHARACTERS = 4000;
/** Headers that curl adds itself. */
const OWN = new Set(['host', 'content-length', 'connection', 'transfer-encoding']);
/** Headers that affect how a request is read. */
const STRUCTURE = new Set([
  'content-type',
  'soapaction',
  'accept',
  'accept-encoding',
  'content-encoding',
  'expect',
]);

/**
 * Returns a shell command that sends a request of the same structure: names, escapes and markup are kept; values of the
 * query, the form and the elements are masked.
 *
 * @param address - base URL: `https://host:port`
 */
export function curlLine(request: HttpRequest, address: string): string {
  const { method, target, headers, body } = request;
  const words = ['curl', '-i'];
  if (method === 'HEAD') words[1] = '-I';
  else if (method !== (body.length > 0 ? 'POST' : 'GET')) words.push('-X', shellWord(maskedPath(method)));
  words.push(shellWord(address + maskedTarget(target.slice(0, MAX_TARGET_CHARACTERS))));
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (OWN.has(key)) continue;
    const shown = STRUCTURE.has(key) ? value.slice(0, 300) : maskedWords(value.slice(0, 100));
    words.push('-H', shellWord(`${name.slice(0, 100)}: ${shown}`));
  }
  if (body.length > 0) words.push('--data-binary', shellWord(maskedBody(request)));
  return words.join(' ');
}

function maskedTarget(target: string): string {
  const question = target.indexOf('?');
  if (question < 0) return maskedPath(target);
  return `${maskedPath(target.slice(0, question))}?${maskedForm(target.slice(question + 1))}`;
}

function maskedBody(request: HttpRequest): string {
  const { body } = request;
  const { name, charset } = readMediaType(headerOf(request, 'content-type'));
  const whole = decodeXmlBody(body.subarray(0, 4 * MAX_BODY_CHARACTERS), charset);
  const text = whole.slice(0, MAX_BODY_CHARACTERS).toWellFormed();
  const more = text.length < whole.length || body.length > 4 * MAX_BODY_CHARACTERS ? '…' : '';
  if (name.trim() === 'application/x-www-form-urlencoded') return maskedForm(text) + more;
  return (text.trimStart().startsWith('<') ? maskedMarkup(text) : maskedWords(text)) + more;
}

/** Quotes a text as one word and one line for a POSIX shell; with control characters in bash's notation. */
function shellWord(text: string): string {
  if (!/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u.test(text))
    return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = text
    .replace(/['\\]/g, '\\$&')
    .replace(/[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, (character) => {
      const code = character.charCodeAt(0);
      return code === 10
        ? '\\n'
        : code === 13
          ? '\\r'
          : code === 9
            ? '\\t'
            : `\\u${code.toString(16).padStart(4, '0')}`;
    });
  return `$'${escaped}'`;
}
