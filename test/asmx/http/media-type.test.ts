// The wire contract, section 3: the media type and its parameters.

import { readMediaType } from '../../../src/asmx/http/media-type';

/** Returns true if the reading of a header is kept: the second is then the first. */
const isKept = (header: string): boolean => readMediaType(header) === readMediaType(header);

describe('the cache of media types', () => {
  it('holds headers of up to 255 characters', () => {
    const start = 'text/xml; x=';
    expect(isKept(start.padEnd(255, 'y'))).toBe(true);
    expect(isKept(start.padEnd(256, 'y'))).toBe(false);
  });

  it('holds at most 64 headers, and those of clients even after made-up ones', () => {
    const headers = Array.from({ length: 1000 }, (_, at) => `text/xml; charset=made-up-${String(at)}`);
    const read = headers.map(readMediaType);
    expect(read[999]).toEqual({ name: 'text/xml', charset: 'made-up-999', action: undefined });
    expect(isKept('text/xml; charset=of-clients')).toBe(true);
    // The last ones first: what is read again takes the place of others.
    const kept = headers.findLastIndex((header, at) => readMediaType(header) !== read[at]);
    expect(999 - kept).toBeLessThan(64);
  });
});

it.each([
  [undefined, { name: '', charset: undefined, action: undefined }],
  ['', { name: '', charset: undefined, action: undefined }],
  ['Text/XML', { name: 'text/xml', charset: undefined, action: undefined }],
  ['text/xml ; Charset = "utf-8" ', { name: 'text/xml ', charset: 'utf-8', action: undefined }],
  ["a/b; action='urn:x'; charset=x=y", { name: 'a/b', charset: 'x=y', action: 'urn:x' }],
  ['a/b; charset; action; =x', { name: 'a/b', charset: undefined, action: undefined }],
  ['a/b; action="x;y"; charset=1; charset=2', { name: 'a/b', charset: '1', action: 'x;y' }],
])('%j is read as %j', (header, mediaType) => {
  expect(readMediaType(header)).toEqual(mediaType);
});

it('reads a media type without quoted pairs, which ASP.NET does not support', () => {
  expect(readMediaType(String.raw`text/xml; x="a\"; charset=utf-16; y="b"`)).toMatchObject({
    charset: 'utf-16',
  });
});
