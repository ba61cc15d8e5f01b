import { readInteger, UINT16 } from './integers';
import { ValueError } from './value-error';

/** How a SOAP value of .NET's char type is read; see {@link readXmlChar}. */
export type CharReading = 'strict' | 'lenient';

/**
 * Reads a char's SOAP value: the decimal number of one UTF-16 unit, blanks around it allowed (wire contract, section
 * 5). The lenient reading also takes a value of exactly one character for that character, for callers who write their
 * envelopes by hand; so a lone digit is the digit, which as a number would be a control character.
 *
 * @throws ValueError
 */
export function readXmlChar(text: string, reading: CharReading): string {
  if (reading === 'lenient' && text.length === 1) return text;
  return String.fromCharCode(readInteger(text, UINT16, 'unsigned'));
}

/** A char over GET and POST is the character itself: exactly one UTF-16 unit. @throws ValueError */
export function readFormChar(text: string): string {
  if (text.length !== 1) throw new ValueError('String must be exactly one character long.');
  return text;
}
