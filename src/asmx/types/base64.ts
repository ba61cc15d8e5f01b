const FORM = /^[A-Za-z0-9+/ \t\r\n]*(?:=+[ \t\r\n]*)?$/;

/**
 * Reads base64 as .NET's XmlReader does: white space anywhere, the padding short or long or missing.
 *
 * @returns undefined for what is none
 */
export function readBase64(text: string): Uint8Array | undefined {
  if (!FORM.test(text)) return undefined;
  return Buffer.from(text, 'base64');
}

export function writeBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
