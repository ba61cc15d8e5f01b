import { Readable } from 'node:stream';

import fc from 'fast-check';

import type { HttpRequest } from '../../../../src/features/migration/messages';
import { readLines } from '../../../../src/features/migration/traffic/reader';
import { readOwnLines, writeLine } from '../../../../src/features/migration/traffic/own-lines';
import { read } from './read';

const byteText = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'));

const anyRequest: fc.Arbitrary<HttpRequest> = fc.record({
  method: byteText,
  target: byteText,
  headers: fc.array(fc.tuple(byteText, byteText), { maxLength: 5 }),
  body: fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
});

describe("the service's own JSON lines", () => {
  it('are skipped if longer than the limit', async () => {
    const lines: [number, string | undefined][] = [];
    for await (const { number, bytes } of readLines(
      Readable.from(['ab', 'c\nabcd', 'e\n', '\nabc'].map((text) => Buffer.from(text))),
      3,
    ))
      lines.push([number, bytes?.toString()]);
    expect(lines).toEqual([
      [1, 'abc'],
      [2, undefined],
      [3, ''],
      [4, 'abc'],
    ]);
  });

  it('contain exact requests, however the file is split', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyRequest, { maxLength: 5 }),
        fc.integer({ min: 1, max: 50 }),
        async (requests, size) => {
          const file = Buffer.from(requests.map(writeLine).join(''));
          const { found, passed } = await read(readOwnLines, file, size);
          expect(passed).toEqual([]);
          expect(found).toEqual(requests.map((request, index) => ({ request, line: index + 1 })));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('may come from other programs: with extra members, without headers and body, with CR LF and blank lines', async () => {
    const file =
      '{"target":"/a?b","method":"GET","at":"2026-11-23"}\r\n\r\n{"method":"PUT","target":"/c","headers":[["A","b"]],"body":"AAE="}';
    const { found, passed } = await read(readOwnLines, file);
    expect(passed).toEqual([]);
    expect(found).toEqual([
      { line: 1, request: { method: 'GET', target: '/a?b', headers: [], body: Buffer.alloc(0) } },
      { line: 3, request: { method: 'PUT', target: '/c', headers: [['A', 'b']], body: Buffer.from([0, 1]) } },
    ]);
  });

  it('with errors are reported line by line, and the rest is read', async () => {
    const good = writeLine({ method: 'GET', target: '/', headers: [], body: Buffer.alloc(0) });
    const bad = [
      'nothing',
      '[]',
      '{"method":"GET"}',
      '{"method":"GET","target":"/","headers":{"a":"b"}}',
      '{"method":"GET","target":"/","headers":[["a"]]}',
      '{"method":"GET","target":"/","body":"????"}',
      '{"method":"GET","target":"/","body":"AAE"}',
    ];
    const { found, passed } = await read(readOwnLines, [...bad, good.trim(), good.slice(0, 30)].join('\n'));
    expect(found.map(({ line }) => line)).toEqual([bad.length + 1]);
    expect(passed.map(({ line, what }) => [line, what])).toEqual(
      [...bad.keys(), bad.length + 1].map((index) => [index + 1, 'malformed']),
    );
    expect(passed.at(-2)?.reason).toBe('body is not base64');
  });
});
