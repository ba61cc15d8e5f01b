// The wire contract, section 3, step 5: what the prefixes of hostile documents leave behind in a reader.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { XmlReader } from '../../../src/asmx/xml/xml-reader';
import { IGNORE_ALL } from './xml-judge';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void; // What the flag has just added.

const DOCUMENTS = 8;
const PREFIXES = 1000;
/** Makes a document of a megabyte, which any prefix cut from it would keep in memory. */
const LONG = 'p'.repeat(1000);

function hostile(at: number): string {
  const declarations = Array.from(
    { length: PREFIXES },
    (_, prefix) => `xmlns:${LONG}${String(at)}-${String(prefix)}="u"`,
  );
  return `<a ${declarations.join(' ')}/>`;
}

it('frees the memory of the prefixes of one document with the next', () => {
  const reader = new XmlReader(IGNORE_ALL);
  const used = (): number => {
    reader.read('<a/>');
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  reader.read(hostile(0));
  const before = used();
  for (let at = 1; at <= DOCUMENTS; at += 1) reader.read(hostile(at));

  expect(used() - before).toBeLessThan((DOCUMENTS * PREFIXES * LONG.length) / 4);
});
