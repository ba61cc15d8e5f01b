import { hash } from 'node:crypto';

import { Sends } from '../../../src/features/migration/calls';
import { FindingsTotal } from '../../../src/features/migration/report/findings';
import { makeVerdict } from '../../../src/features/migration/verdict/verdict';
import { cutOut, keptBytes, MEGABYTE } from '../../harness/kept-memory';

/** Number of texts that each collection gets, each out of a request of a megabyte. */
const TEXTS = 30;
const MAX_KEPT = 10 * MEGABYTE;

const REQUEST = { method: 'GET', target: '/', headers: [], body: Buffer.alloc(0) };
const DIFFERENCE = { part: 'body', what: 'changed', level: 'different' } as const;

describe('texts cut out of requests are not kept with them by', () => {
  it.each<readonly [string, () => (text: string) => unknown]>([
    [
      'names of operations',
      () => {
        const names: string[] = [];
        const sends = new Sends([{ file: 'A.asmx', reads: ['GetExamTableByExamId'], sends: [] }]);
        return () => {
          const operation = cutOut('GetExamTableByExamId');
          names.push(sends.findOperation({ endpoint: 'a.asmx', operation, binding: 'soap11', names: [] }));
        };
      },
    ],
    [
      'differences of answers',
      () => {
        const total = new FindingsTotal('http://old.example');
        return (text) => {
          const difference = { ...DIFFERENCE, place: text, old: text, ours: text };
          total.add({ request: REQUEST, verdict: makeVerdict([difference]) });
        };
      },
    ],
  ])('%s', async (_what, open) => {
    const put = open();
    const kept = await keptBytes(TEXTS, (at) => put(cutOut(`k${hash('sha256', String(at))}`)));
    expect(kept).toBeLessThan(MAX_KEPT);
  });
});
