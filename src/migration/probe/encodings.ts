import { callElement, envelope, type Subject } from './subject';

/** Letters that every encoding here has. */
const LETTERS = 'ÇığÖşü';
/** Where iso-8859-9 has other letters than iso-8859-1. */
const LATIN5: Readonly<Record<string, number>> = { Ğ: 0xd0, İ: 0xdd, Ş: 0xde, ğ: 0xf0, ı: 0xfd, ş: 0xfe };

type Encode = (text: string) => Buffer;

const utf8: Encode = (text) => Buffer.from(text);
const latin5: Encode = (text) =>
  Buffer.from(
    Array.from(
      text,
      (letter) => LATIN5[letter] ?? (letter.charCodeAt(0) < 0x100 ? letter.charCodeAt(0) : 0x3f),
    ),
  );
const utf16: Encode = (text) => Buffer.from(text, 'utf16le');
const utf16be: Encode = (text) => utf16(text).swap16();
const marked =
  (encode: Encode): Encode =>
  (text) =>
    encode(`\ufeff${text}`);

/** What it is, the charset of the type, the encoding of the declaration, and the bytes. */
const ENCODINGS: readonly (readonly [string, string | undefined, string, Encode])[] = [
  ['in UTF-8', 'utf-8', 'utf-8', utf8],
  ['in UTF-8 without a charset', undefined, 'utf-8', utf8],
  ['in UTF-8 with a mark', 'utf-8', 'utf-8', marked(utf8)],
  ['in UTF-8 with a mark and another charset', 'iso-8859-9', 'iso-8859-9', marked(utf8)],
  ['in UTF-8 with another declaration', 'utf-8', 'utf-16', utf8],
  ['in broken UTF-8', 'utf-8', 'utf-8', latin5],
  ['in UTF-16 with a mark', 'utf-16', 'utf-16', marked(utf16)],
  ['in UTF-16 without a mark', 'utf-16', 'utf-16', utf16],
  ['in UTF-16 without a charset', undefined, 'utf-16', marked(utf16)],
  ['in UTF-16 the other way round', 'utf-16', 'utf-16', marked(utf16be)],
  ['in iso-8859-9', 'iso-8859-9', 'iso-8859-9', latin5],
  ['in iso-8859-9 by its declaration', undefined, 'iso-8859-9', latin5],
  ['in windows-1254', 'windows-1254', 'windows-1254', latin5],
  ['in iso-8859-9 as iso-8859-1', 'iso-8859-1', 'utf-8', latin5],
  ['in UTF-8 as us-ascii', 'us-ascii', 'us-ascii', utf8],
];

/** The same call in several encodings: what it is, the charset of the type, and the body. */
export function encodedBodies(subject: Subject): readonly (readonly [string, string | undefined, Buffer])[] {
  const first = subject.operation.parameters.find(({ type }) => type.name === 'string');
  const values = { ...subject.values, ...(first !== undefined && { [first.name]: LETTERS }) };
  const call = callElement({ ...subject, values });
  return ENCODINGS.map(([name, charset, encoding, encode]) => [
    name,
    charset,
    encode(envelope('soap11', call, { encoding })),
  ]);
}
