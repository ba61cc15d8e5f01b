// The wire contract, section 3, step 5: reading on from where another text that begins alike once stood.

import { type ResumePoint, XmlReader, XmlSyntaxError } from '../../../src/asmx/xml';
import { DOCUMENTS } from './xml-mutants';

interface Place {
  readonly point: ResumePoint;
  /** How much had been told by then. */
  readonly told: number;
}

/** What a reader tells of documents, and its points. */
function open() {
  const told: string[] = [];
  const places: Place[] = [];
  const empty: string[] = [];
  const reader: XmlReader = new XmlReader({
    startElement: (local, namespace, attributes) => {
      told.push(`<{${namespace}}${local}`);
      attributes.forEach((name, uri, value) => told.push(`{${uri}}${name}=${value}`));
      if (reader.point === undefined) empty.push(local);
      else places.push({ point: reader.point, told: told.length });
    },
    endElement: () => told.push('/'),
    characters: (text) => told.push(text),
    interruption: () => told.push('!'),
  });
  const read = (text: string, from?: ResumePoint): readonly string[] => {
    told.length = 0;
    places.length = 0;
    try {
      reader.read(text, from);
    } catch (error) {
      if (!(error instanceof XmlSyntaxError)) throw error;
      told.push(error.message);
    }
    return [...told];
  };
  return { read, places, empty };
}

describe('a document that is read on from one of its start tags', () => {
  it.each(DOCUMENTS)('is told as from its start: %j', (document) => {
    const { read, places } = open();
    const whole = read(document);
    const seen = [...places];
    const readOn = seen.map(({ point }) => {
      read('<other xmlns:p="urn:other"><p:x>');
      return read(document, point);
    });
    expect(readOn).toEqual(seen.map(({ told }) => whole.slice(told)));
  });

  it('has its errors in its place', () => {
    const { read, places } = open();
    read('<a xmlns:p="urn:p">\n<b>');
    const [, last] = [...places];
    expect(read('<a xmlns:p="urn:p">\n<b><p:c/></a>', last?.point)).toEqual([
      '<{urn:p}c',
      '/',
      "The 'b' start tag on line 2 position 2 does not match the end tag of 'a'. Line 2, position 12.",
    ]);
  });

  it('has no such place in an empty tag', () => {
    const { read, places, empty } = open();
    read('<a><b/><c d="/"></c></a>');
    expect(empty).toEqual(['b']);
    expect(places).toHaveLength(2);
  });
});
