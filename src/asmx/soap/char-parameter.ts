/** How a SOAP value of .NET's char type is read; see {@link readCharParameter}. */
export type CharReading = 'strict' | 'lenient';

export const CHAR_FORMAT_ERROR = 'Input string was not in a correct format.';
export const CHAR_RANGE_ERROR = 'Value was either too large or too small for a UInt16.';

/**
 * Reads a char parameter's SOAP value: the decimal number of one UTF-16 unit, blanks around it allowed (wire
 * contract, section 5). The lenient reading also takes a value of exactly one character for that character,
 * for callers who write their envelopes by hand; so a lone digit is the digit, which as a number would be a
 * control character.
 *
 * @returns the character, or the text of .NET's error
 */
export function readCharParameter(
  value: string,
  reading: CharReading,
): { readonly character: string } | { readonly error: string } {
  if (reading === 'lenient' && value.length === 1) return { character: value };
  const digits = /^[ \t\r\n]*([0-9]+)[ \t\r\n]*$/.exec(value)?.[1];
  if (digits === undefined) return { error: CHAR_FORMAT_ERROR };
  const unit = Number(digits);
  return unit > 0xffff ? { error: CHAR_RANGE_ERROR } : { character: String.fromCharCode(unit) };
}
