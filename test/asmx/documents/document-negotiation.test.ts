// Beyond the wire contract, section 7: how many compressed documents are kept.

import { DocumentNegotiation } from '../../../src/asmx/documents/metadata';

const GZIP = { 'accept-encoding': 'gzip' };

function open() {
  const negotiation = new DocumentNegotiation();
  return (text: string) => negotiation.negotiate({ status: 200, headers: [], body: text }, GZIP).body;
}

const DOCUMENTS = Array.from({ length: 64 }, (_, at) => `document ${String(at)}`);

describe('compressed documents', () => {
  it('are cached, up to sixty-four', () => {
    const compress = open();
    const first = DOCUMENTS.map(compress);
    DOCUMENTS.forEach((document, at) => {
      expect(compress(document)).toBe(first[at]);
    });
  });

  it('make room for one more by evicting the least recently requested', () => {
    const compress = open();
    const [oldest, second] = DOCUMENTS.map(compress);
    expect(compress('document 0')).toBe(oldest);

    compress('one more');
    expect(compress('document 0')).toBe(oldest);
    expect(compress('document 1')).not.toBe(second);
    expect(compress('document 1')).toEqual(second);
  });

  it('exist only for documents, not for errors', () => {
    const negotiation = new DocumentNegotiation();
    const refusal = { status: 500, headers: [], body: 'text' };
    expect(negotiation.negotiate(refusal, GZIP)).toBe(refusal);
  });
});
