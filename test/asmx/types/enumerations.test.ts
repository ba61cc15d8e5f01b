// The wire contract, section 5: an enumeration over GET and POST is what Enum.Parse makes of a text.

import type { EnumerationType } from '../../../src/asmx/contract/values';
import { ValueError } from '../../../src/asmx/types/value-error';
import { readFormName, readXmlName } from '../../../src/asmx/types/plain-types';

const GRADE: EnumerationType = {
  kind: 'enumeration',
  name: 'Grade',
  values: ['Low', 'Middle', 'High', 'Top'],
};

describe('an enumeration name over GET and POST', () => {
  it.each([
    ['High', 'High'],
    [' High\n', 'High'],
    ['2', 'High'],
    ['+2', 'High'],
    [' 02 ', 'High'],
    ['7', '7'],
    ['-12', '-12'],
    ['Middle, High', 'Top'],
    [' Middle ,High ', 'Top'],
    ['Low,Low', 'Low'],
  ])('is read from %j as %s', (text, name) => {
    expect(readFormName(text, GRADE)).toBe(name);
  });

  it.each([
    ['', 'Must specify valid information for parsing in the string.'],
    [' \t', 'Must specify valid information for parsing in the string.'],
    ['high', "Requested value 'high' was not found."],
    [' x2 ', "Requested value 'x2' was not found."],
    ['2x', "Requested value '2x' was not found."],
    ['^2', "Requested value '^2' was not found."],
    ['Middle,', "Requested value 'Middle,' was not found."],
    ['Middle,2', "Requested value 'Middle,2' was not found."],
  ])('is not read from %j', (text, message) => {
    expect(() => readFormName(text, GRADE)).toThrow(new ValueError(message));
  });
});

describe('an enumeration name over SOAP', () => {
  it('is read exactly', () => {
    expect(readXmlName('High', GRADE)).toBe('High');
  });

  it.each([' High', '2', 'Middle, High', ''])('is not read from %j', (text) => {
    expect(() => readXmlName(text, GRADE)).toThrow(
      new ValueError(`Instance validation error: '${text}' is not a valid value for Grade.`),
    );
  });
});
