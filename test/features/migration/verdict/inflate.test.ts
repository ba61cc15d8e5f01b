import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import { compareAnswers } from '../../../../src/features/migration/verdict/compare-answers';
import { inflate } from '../../../../src/features/migration/verdict/inflate';
import { answer } from './answers';

const TEXT = '<a><b>1</b></a>';
const MAX_BYTES = 1000;

const coded = (coding: string, body: Buffer) =>
  answer(body, [
    ['Content-Type', 'text/xml; charset=utf-8'],
    ['Content-Encoding', coding],
  ]);

describe('a compressed answer', () => {
  it.each<readonly [string, Buffer]>([
    ['gzip', gzipSync(TEXT)],
    ['X-GZIP', gzipSync(TEXT)],
    ['br', brotliCompressSync(TEXT)],
    ['deflate', deflateSync(TEXT)],
    ['identity, gzip', gzipSync(TEXT)],
    ['deflate, gzip', gzipSync(deflateSync(TEXT))],
  ])('is compared by its decompressed content: %s', async (coding, body) => {
    const sent = coded(coding, body);
    const inflated = await inflate(sent, MAX_BYTES);
    expect(inflated).toEqual({ ...sent, body: Buffer.from(TEXT) });
    const { differences } = compareAnswers(answer('<a><b>2</b></a>'), inflated ?? sent, {
      ignoredHeaders: ['Content-Encoding'],
    });
    expect(differences).toMatchObject([{ part: 'body', place: '/a/b', what: 'changed' }]);
    expect(compareAnswers(answer(TEXT), inflated ?? sent)).toMatchObject({
      level: 'different',
      differences: [{ part: 'header', place: 'content-encoding', what: 'added' }],
    });
  });

  it.each([
    ['an unknown coding', coded('nope', gzipSync(TEXT))],
    ['the name of a built-in property', coded('constructor', gzipSync(TEXT))],
    ['three codings', coded('gzip, gzip, gzip', gzipSync(TEXT))],
    ['bytes of another coding', coded('gzip', Buffer.from(TEXT))],
    ['a missing end', coded('gzip', gzipSync(TEXT).subarray(0, 20))],
  ])('with %s stays compressed', async (_what, sent) => {
    expect(await inflate(sent, MAX_BYTES)).toBe(sent);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['deflate', deflateSync],
  ])('is decompressed up to a limit: %s', async (coding, compress) => {
    const within = await inflate(coded(coding, compress(Buffer.alloc(MAX_BYTES))), MAX_BYTES);
    expect(within?.body).toHaveLength(MAX_BYTES);
    expect(await inflate(coded(coding, compress(Buffer.alloc(MAX_BYTES + 1))), MAX_BYTES)).toBeUndefined();
  });
});
