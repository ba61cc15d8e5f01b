// The wire contract, section 3, step 5: what is well-formed.

import { XmlReader } from '../../../src/asmx/xml/xml-reader';
import { fuzzRun } from '../../harness/fuzz-run';
import { Random } from '../../harness/random';
import { isDisputed, judge, ours } from './xml-judge';
import { DOCUMENTS, mutate } from './xml-mutants';

const RUN = fuzzRun(2500);

it('distinguishes a CDATA section from text, and an empty tag from a pair of tags', () => {
  const events: string[] = [];
  const reader = new XmlReader({
    startElement: (local) => events.push(`<${local}>`),
    endElement: (isEmptyTag) => events.push(isEmptyTag ? 'empty' : 'end'),
    characters: (text, isCData) => events.push(`${isCData ? 'CDATA' : 'text'} ${text}`),
    interruption: () => undefined,
  });
  reader.read('<a>plain<![CDATA[x]]>a &amp; b<b/><c></c></a>');
  expect(events).toEqual([
    '<a>',
    'text plain',
    'CDATA x',
    'text a & b',
    ...['<b>', 'empty', '<c>', 'end'],
    'end',
  ]);
});

describe('accepts and rejects the same documents as a reader from the registry', () => {
  it.each(DOCUMENTS)('%j', (document) => {
    expect(ours(document)).toBeDefined();
    expect(ours(document)).toEqual(judge(document));
  });

  it(
    `in ${RUN.title}`,
    () => {
      let wellFormed = 0;
      let skipped = 0;
      for (let index = 0; index < RUN.count; index += 1) {
        const document = mutate(new Random(RUN.seed + index));
        if (isDisputed(document)) {
          skipped += 1;
          continue;
        }
        const expected = judge(document);
        if (expected !== undefined) wellFormed += 1;
        const read = ours(document);
        // Compared by hand first: an assertion each would take most of the time.
        if (JSON.stringify(read) !== JSON.stringify(expected))
          expect({ document, read }).toEqual({ document, read: expected });
      }
      // Both outcomes must have been met, or the mutations prove nothing.
      expect(wellFormed).toBeGreaterThan(RUN.count / 100);
      expect(wellFormed).toBeLessThan(RUN.count - RUN.count / 100);
      expect(skipped).toBeLessThan(RUN.count / 20);
    },
    RUN.timeout,
  );
});
