/** The bytes of a text in one of a few charsets. */
export function encoded(text: string, charset: string): Buffer {
  if (charset === 'utf-8' || charset === 'utf-16le')
    return Buffer.from(text, charset === 'utf-8' ? 'utf8' : 'utf16le');
  const decoder = new TextDecoder(charset);
  const codes = new Map(Array.from({ length: 256 }, (_, code) => [decoder.decode(Buffer.of(code)), code]));
  return Buffer.from(
    Array.from(text, (character) => {
      const code = codes.get(character);
      if (code === undefined) throw new Error(`${charset} has no ${character}`);
      return code;
    }),
  );
}
