// Beyond the wire contract, section 7: how many compressed documents are kept.

import { DocumentNegotiation } from '../../../src/asmx/documents/metadata';

const GZIP = { 'accept-encoding': 'gzip' };

function open() {
  const negotiation = new DocumentNegotiation();
  return (text: string) => negotiation.negotiate({ status: 200, headers: [], body: text }, GZIP).body;
}

const DOCUMENTS = Array.from({ length: 64 }, (_, at) => `document ${String(at)}`);

describe('compressed documents', () => {
  it('are kept, sixty-four of them', () => {
    const compress = open();
    const first = DOCUMENTS.map(compress);
    DOCUMENTS.forEach((document, at) => {
      expect(compress(document)).toBe(first[at]);
    });
  });

  it('make room for one more by the one that was asked for longest ago', () => {
    const compress = open();
    const [oldest, second] = DOCUMENTS.map(compress);
    expect(compress('document 0')).toBe(oldest);

    compress('one more');
    expect(compress('document 0')).toBe(oldest);
    expect(compress('document 1')).not.toBe(second);
    expect(compress('document 1')).toEqual(second);
  });

  it('are not made of what is no document', () => {
    const negotiation = new DocumentNegotiation();
    const refusal = { status: 500, headers: [], body: 'text' };
    expect(negotiation.negotiate(refusal, GZIP)).toBe(refusal);
  });
});
