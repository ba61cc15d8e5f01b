import { asciiBytes, putBytes } from './ascii-text';
import { ValueError } from './value-error';
import { trimXml } from './white-space';

const XML_WORDS = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

const TRUE = asciiBytes('true');
const FALSE = asciiBytes('false');

/** Puts a boolean's word. */
export function putBoolean(value: boolean, bytes: Uint8Array, at: number): number {
  return putBytes(value ? TRUE : FALSE, bytes, at);
}

/** Reads a boolean as XML Schema has it. @throws ValueError */
export function readXmlBoolean(text: string): boolean {
  const trimmed = trimXml(text);
  const value = XML_WORDS.get(trimmed);
  if (value === undefined) throw new ValueError(`The string '${trimmed}' is not a valid Boolean value.`);
  return value;
}

/** Reads a boolean as Boolean.Parse does: `True` and `False` in any case. @throws ValueError */
export function readFormBoolean(text: string): boolean {
  // No word that is longer without its blanks is looked at.
  const word = text.replaceAll('\0', ' ').trim().toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new ValueError('String was not recognized as a valid Boolean.');
}
