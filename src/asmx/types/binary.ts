import { ValueError } from './value-error';

const FORM = /^[A-Za-z0-9+/ \t\r\n]*(?:=+[ \t\r\n]*)?$/;

/**
 * Reads base64 as .NET's XmlReader does: white space anywhere, the padding short or long or missing.
 *
 * @returns undefined for invalid base64
 */
export function readBase64(text: string): Uint8Array | undefined {
  if (!FORM.test(text)) return undefined;
  return Buffer.from(text, 'base64');
}

export function writeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

export const UNRECOGNIZED_GUID = 'Unrecognized Guid format.';

const NUMBER = /^\+?(?:0x)?([0-9a-f]*)/i;

/**
 * Reads a hexadecimal number at the beginning of a text, as .NET does when it reads Guids: a plus sign and
 * `0x` may precede its digits.
 *
 * @returns its digits, and the number of characters read
 * @throws ValueError
 */
export function readHex(text: string): { readonly digits: string; readonly length: number } {
  // .NET gives no details for a negative number.
  if (text.startsWith('-')) throw new ValueError(UNRECOGNIZED_GUID);
  const [whole = '', digits = ''] = NUMBER.exec(text) ?? [];
  if (digits === '') throw new ValueError('Could not find any recognizable digits.');
  return { digits, length: whole.length };
}
