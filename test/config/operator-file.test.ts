import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { parseJson, readOperatorFile } from '../../src/config';
import { useFolder } from '../harness/use-folder';

describe('a JSON file that a setting names', () => {
  const folder = useFolder();

  const path = (): string => join(folder, 'file.json');
  const read = (content: string | Buffer): unknown => {
    writeFileSync(path(), content);
    return parseJson(readOperatorFile(path(), 'A_FILE'));
  };

  it('is read with or without a byte order mark', () => {
    expect(read('{"a": "ş"}')).toEqual({ a: 'ş' });
    expect(read('\u{feff}{"a": "ş"}')).toEqual({ a: 'ş' });
  });

  it.each([
    ['an empty file', '', 'is not valid JSON at line 1, column 1'],
    ['a missing value', '{\n  "a": ,\n}', 'is not valid JSON at line 2, column 8'],
    ['an extra comma', '{\n  "a": 1,\n}', 'is not valid JSON at line 3, column 1'],
    ['a missing comma', '{\r\n "a": 1\r\n "b": 2 }', 'is not valid JSON at line 3, column 2'],
    ['30,000 open brackets', '['.repeat(30_000), 'is nested too deeply at line 1, column 101'],
    [
      'deep objects',
      '{"a":'.repeat(101) + '1' + '}'.repeat(101),
      'is nested too deeply at line 1, column 501',
    ],
    ['a missing end', '{\n"a": [1', 'is not valid JSON at line 2, column 8'],
    ['a comment', '{ "a": 1 } // s3cret', 'is not valid JSON at line 1, column 12'],
    ['single quotes', "\u{feff}{'s3cret': 1}", 'is not valid JSON at line 1, column 2'],
    ['a word', '{"a": s3cret}', 'is not valid JSON at line 1, column 7'],
    ['two values', '{}\n{}', 'is not valid JSON at line 2, column 1'],
    ['a raw line end in a string', '{"a": "s3\ncret"}', 'is not valid JSON at line 1, column 7'],
    [
      'Latin-1',
      Buffer.from('{\n"a": "s3cret \xfc"}', 'latin1'),
      'is not UTF-8 at line 2, column 14. Save it as UTF-8',
    ],
    [
      'UTF-16',
      Buffer.from('\u{feff}{"a": 1}', 'utf16le'),
      'is not UTF-8 at line 1, column 1. Save it as UTF-8',
    ],
  ])('is refused with the position of the error: %s', (_, content, problem) => {
    expect(() => read(content)).toThrow(`${path()} (A_FILE) ${problem}.`);
  });
});
