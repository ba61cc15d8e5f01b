// The wire contract, section 3, step 5: what may stand behind the name of an end tag, and where a text may end in one.

import { XmlReader } from '../../../src/asmx/xml/xml-reader';
import { XmlSyntaxError } from '../../../src/asmx/xml/xml-syntax-error';

/** Why a document is not well-formed, or undefined. */
function errorIn(document: string): string | undefined {
  const ignore = (): undefined => undefined;
  const reader = new XmlReader({
    startElement: ignore,
    endElement: ignore,
    characters: ignore,
    interruption: ignore,
  });
  try {
    reader.read(document);
  } catch (error) {
    if (error instanceof XmlSyntaxError) return error.message;
    throw error;
  }
  return undefined;
}

describe('an end tag', () => {
  it.each(['', ' ', '\t', '\n', '\r', '\r\n', ' \r\n\t '])(
    'may have white space behind its name: %j',
    (space) => {
      expect(errorIn(`<p:a xmlns:p="urn:p"><b>x</b${space}></p:a${space}>`)).toBeUndefined();
    },
  );

  it.each(['\u0085', '\u00a0', '\v', '\f', '\0', '\u2028'])('may have nothing else there: %j', (other) => {
    expect(errorIn(`<a></a${other}>`)).toBeDefined();
  });

  it.each([
    [
      '<a></a',
      'Unexpected end of file has occurred. The following elements are not closed: a. Line 1, position 7.',
    ],
    [
      '<a><b></b\n',
      'Unexpected end of file has occurred. The following elements are not closed: b, a. Line 2, position 1.',
    ],
    ['<abc></ab', 'Unexpected end of file while parsing Name has occurred. Line 1, position 10.'],
    ['<abc></', 'Unexpected end of file while parsing Name has occurred. Line 1, position 8.'],
    ['<abc></abcd', 'Unexpected end of file while parsing Name has occurred. Line 1, position 12.'],
    ['<a></a /', "'/' is an unexpected token. The expected token is '>'. Line 1, position 8."],
    ['<a></>', "Name cannot begin with the '>' character, hexadecimal value 0x3E. Line 1, position 6."],
  ])('is named where the text ends in it or it is wrong: %j', (document, message) => {
    expect(errorIn(document)).toBe(message);
  });
});
