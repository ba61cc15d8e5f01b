// Beyond the wire contract, section 3.4: what a reader bounds while it reads.

import { XmlReader } from '../../../src/asmx/xml/xml-reader';
import { IGNORE_ALL } from './xml-judge';

/** Returns what a reader refuses of a document, with at most two attributes and names of at most five characters. */
function refusedOf(document: string): string | undefined {
  class Refused extends Error {}
  const reader = new XmlReader(IGNORE_ALL, {
    xmlAttributes: 2,
    xmlNameCharacters: 5,
    refuse: (what) => {
      throw new Refused(what);
    },
  });
  try {
    reader.read(document);
  } catch (error) {
    if (error instanceof Refused) return error.message;
    throw error;
  }
  return undefined;
}

describe('a reader with limits', () => {
  it.each([
    ['<a b="1" c="2"/>', undefined],
    ['<a b="1" c="2"><a b="1" c="2"/></a>', undefined],
    ['<a b="1" c="2" d="3"/>', 'attributes'],
    ['<a xmlns="1" c="2" d="3"/>', 'attributes'],
    ['<a>       <abcde/></a>', undefined],
    ['<a>       <abcdef/></a>', 'name'],
    ['<p:cde xmlns:p="u"/>', 'name'],
    ['<a        abcde="1"/>', undefined],
    ['<a        abcdef="1"/>', 'name'],
    ['<a xml:a="1"/>', undefined],
    ['<a xml:ab="1"/>', 'name'],
  ])('given %s rejects %s', (document, what) => {
    expect(refusedOf(document)).toBe(what);
  });
});
