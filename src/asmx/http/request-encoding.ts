import { ownText } from '../../support/own-text';

type Decode = (bytes: Buffer) => string;

const utf8: Decode = (bytes) => bytes.toString('utf8');
const latin1: Decode = (bytes) => bytes.toString('latin1');
const ascii: Decode = (bytes) => latin1(bytes).replace(/[\u0080-\u00ff]/g, '?');

// Latin-5 is Latin-1 except for six letters. Web decoders map the label to windows-1254, which differs from
// .NET for 0x80 to 0x9F.
const LATIN5: Readonly<Record<string, string>> = {
  '\u00d0': '\u011e',
  '\u00dd': '\u0130',
  '\u00de': '\u015e',
  '\u00f0': '\u011f',
  '\u00fd': '\u0131',
  '\u00fe': '\u015f',
};
const latin5: Decode = (bytes) =>
  latin1(bytes).replace(/[\u00d0\u00dd\u00de\u00f0\u00fd\u00fe]/g, (letter) => LATIN5[letter] ?? letter);

const DECODERS = new Map<string, Decode>([
  ['utf-8', utf8],
  ['utf8', utf8],
  ['iso-8859-1', latin1],
  ['latin1', latin1],
  ['us-ascii', ascii],
  ['ascii', ascii],
  ['iso-8859-9', latin5],
  ['latin5', latin5],
]);

/**
 * Finds the decoder of a charset label, case-insensitively: UTF-8, UTF-16, the ISO and Windows code pages.
 * Malformed input becomes U+FFFD, never an error (wire contract, section 6).
 *
 * @returns undefined for an unknown label
 */
export function findDecoder(label: string): Decode | undefined {
  const name = label.toLowerCase();
  const known = DECODERS.get(name);
  if (known !== undefined) return known;
  try {
    // One decoder can be reused: a TextDecoder keeps no state between whole inputs.
    const decoder = new TextDecoder(name);
    const decode: Decode = (bytes) => decoder.decode(bytes);
    DECODERS.set(ownText(name), decode);
    return decode;
  } catch {
    return undefined;
  }
}

const BYTE_ORDER_MARKS: readonly (readonly [readonly number[], string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

// The declaration's own characters are ASCII in every encoding but UTF-16, which shows as zero bytes.
const DECLARED = /^<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/;

/**
 * Decodes a SOAP request body. A byte order mark takes precedence over the charset parameter, and that over
 * the XML declaration; the default is UTF-8 (wire contract, section 6). ASP.NET would read `text/xml` without
 * a charset as US-ASCII; here its declaration or UTF-8 applies.
 *
 * @param charset value of the Content-Type's charset parameter
 * @returns the text without a byte order mark
 */
export function decodeXmlBody(body: Buffer, charset: string | undefined): string {
  if (body.length === 0) return '';
  const first = body[0];
  if (first === 0xef || first === 0xff || first === 0xfe) {
    for (const [mark, label] of BYTE_ORDER_MARKS) {
      if (mark.every((byte, index) => body[index] === byte)) {
        return findDecoder(label)?.(body.subarray(mark.length)) ?? '';
      }
    }
  }
  const byParameter = charset === undefined ? undefined : findDecoder(charset);
  if (byParameter !== undefined) return byParameter(body);
  if (first === 0 || body[1] === 0) return findDecoder(first === 0 ? 'utf-16be' : 'utf-16le')?.(body) ?? '';
  const declared = DECLARED.exec(body.toString('latin1', 0, 200))?.[1];
  // A document that begins with readable ASCII is not UTF-16, whatever it declares.
  const byDeclaration =
    declared === undefined || /^utf-16/i.test(declared) ? undefined : findDecoder(declared);
  return (byDeclaration ?? utf8)(body);
}
