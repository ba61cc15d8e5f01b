// The wire contract, section 3, step 5: start tags that a reader knows from earlier documents.

import { type StartTag, TagMemory } from '../../../src/asmx/xml/tag-memory';
import { XmlReader } from '../../../src/asmx/xml/xml-reader';
import { XmlSyntaxError } from '../../../src/asmx/xml/xml-syntax-error';

/** Makes a reader, and a function that returns the events of a document. */
function recorder(): (document: string) => readonly unknown[] {
  let events: unknown[] = [];
  const reader: XmlReader = new XmlReader({
    startElement: (local, namespace, attributes) => {
      const others: unknown[] = [];
      attributes.forEach((...attribute) => others.push(attribute));
      events.push([local, namespace, attributes.isEmpty, others, reader.nameOffset, reader.offset]);
      events.push(reader.namespaceOf('p'), reader.namespaceOf(''));
    },
    endElement: (isEmptyTag) => events.push(isEmptyTag),
    characters: (text) => events.push(text),
    interruption: () => events.push('interruption'),
  });
  return (document) => {
    events = [];
    try {
      reader.read(document);
    } catch (error) {
      if (!(error instanceof XmlSyntaxError)) throw error;
      events.push(error.message);
    }
    return events;
  };
}

const DOCUMENTS = [
  ['the same', '<p:a xmlns:p="urn:1"><p:b>x</p:b><c/></p:a>'],
  ['another namespace around the same tag', '<p:a xmlns:p="urn:2"><p:b>x</p:b><c/></p:a>'],
  ['a prefix that is no longer declared', '<a><p:b>x</p:b></a>'],
  ['a default namespace around a tag without a prefix', '<a xmlns="urn:3"><b/><c/></a>'],
  ['a tag that begins like a known one', '<p:a xmlns:p="urn:1" d="1"><p:b />x<c /></p:a>'],
  ['a tag that is cut off', '<p:a xmlns:p="urn:1"'],
  ['a value that contains the end of a tag', '<p:a xmlns:p="urn:1>"><p:b>x</p:b></p:a>'],
  ['other attributes', '<p:a xmlns:p="urn:1" p:e="&lt;"><p:b p:e="2">x</p:b></p:a>'],
  ['a declaration that ends', '<a><b xmlns:p="urn:4"/><c/><p:d/></a>'],
  ['an end tag of another element', '<p:a xmlns:p="urn:1"><p:b>x</p:c></p:a>'],
  ['a comment before the root', '<!-- --><p:a xmlns:p="urn:1"><p:b>x</p:b></p:a>'],
  ['characters beyond the basic plane', '<p:𐐀 xmlns:p="urn:𐐀"><ç xmlns="urn:ş"/></p:𐐀>'],
] as const;

it.each(DOCUMENTS)('reads %s like a new reader, after any other document', (_what, document) => {
  const read = recorder();
  for (const [, before] of DOCUMENTS) {
    read(before);
    expect(read(document)).toEqual(recorder()(document));
    expect(read(document)).toEqual(recorder()(document));
  }
});

describe('the tag memory', () => {
  const tag: StartTag = { name: 'a', prefix: '', local: 'a', isEmptyTag: false };
  const spelling = (number: number): string => `<a xmlns="urn:${String(number)}">`;
  const known = (memory: TagMemory, position: number): readonly number[] =>
    [...Array(1000).keys()].filter((number) => memory.find(position, spelling(number), 0) !== undefined);

  it('keeps a few spellings of a position, and accepts new ones', () => {
    const memory = new TagMemory();
    for (let number = 0; number < 1000; number += 1) memory.keep(3, spelling(number), tag, []);
    expect(known(memory, 3)).toHaveLength(6);
    expect(known(memory, 3).every((number) => number > 6)).toBe(true);
  });

  it('keeps no long tag, and none far from the start of a document', () => {
    const memory = new TagMemory();
    const long = `<a xmlns="${'x'.repeat(512)}">`;
    memory.keep(0, long, tag, []);
    memory.keep(16, spelling(1), tag, []);
    expect([memory.find(0, long, 0), memory.find(16, spelling(1), 0)]).toEqual([undefined, undefined]);
  });

  it('keeps no tag with attributes other than declarations', () => {
    const memory = new TagMemory();
    memory.keep(0, spelling(1), tag, undefined);
    expect(memory.find(0, spelling(1), 0)).toBeUndefined();
  });
});
