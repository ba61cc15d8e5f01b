import { ValueError } from './value-error';

export const UNRECOGNIZED_GUID = 'Unrecognized Guid format.';

const NUMBER = /^\+?(?:0x)?([0-9a-f]*)/i;

/**
 * Reads a number in hexadecimal from the beginning of a text, as .NET does where it reads Guids: a plus sign and `0x` may
 * stand before its digits.
 *
 * @returns its digits, and how many characters it takes
 * @throws ValueError
 */
export function readHex(text: string): { readonly digits: string; readonly length: number } {
  // .NET does not say more of a number below zero.
  if (text.startsWith('-')) throw new ValueError(UNRECOGNIZED_GUID);
  const [whole = '', digits = ''] = NUMBER.exec(text) ?? [];
  if (digits === '') throw new ValueError('Could not find any recognizable digits.');
  return { digits, length: whole.length };
}
