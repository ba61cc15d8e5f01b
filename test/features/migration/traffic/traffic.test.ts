import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { OperatorError } from '../../../../src/support/errors';
import { type PassedOver, readTraffic } from '../../../../src/features/migration/traffic/traffic';
import { writeLine } from '../../../../src/features/migration/traffic/own-lines';
import { useFolder } from '../../../harness/use-folder';

const folder = useFolder();

/** Targets with their places, and what is passed over. */
async function readFile(content: string | Buffer, options: Partial<Parameters<typeof readTraffic>[1]> = {}) {
  const file = join(folder, 'traffic');
  writeFileSync(file, content);
  const passed: PassedOver[] = [];
  const found: string[] = [];
  for await (const { request, source } of readTraffic(file, {
    passedOver: (one) => passed.push(one),
    ...options,
  }))
    found.push(`${source} ${request.target}`);
  const short = (text: string) => text.replaceAll(`${folder}/`, '');
  return {
    found: found.map(short),
    passed: passed.map(({ source, reason }) => `${short(source)} ${reason}`),
  };
}

const line = (target: string, more: object = {}) =>
  writeLine({ method: 'GET', target, headers: [], body: Buffer.alloc(0), ...more });
const BEGINNINGS = {
  lines: line('/a'),
  spaced: '\n{ "target": "/a",\t"method": "GET" }',
  har: '\ufeff{\r\n  "log" : { "entries": [ { "request": { "method": "GET", "url": "http://a/a" } } ] } }',
  goreplay: '1 d7123dasd913jfd21312dasdhas31 127345969 -1\nGET /a HTTP/1.1\r\n\r\n\n🐵🙈🙉\n',
  older: '1 d7123dasd913jfd21312dasdhas31 127345969\nGET /a HTTP/1.1\r\n\r\n\n🐵🙈🙉\n',
  iis: '#Fields: cs-method cs-uri-stem\nGET /a\n',
  combined: '::1 - - [20/Nov/2026:05:00:01 +0000] "GET /a HTTP/1.1" 200 98 "-" "-"\n',
  proxied: 'GET http://old.example:81/a?b HTTP/1.1'.replace(/^.*$/, '::1 - - [d] "$&" 200 1'),
};

describe('traffic files', () => {
  it.each(Object.entries(BEGINNINGS))(
    'are recognized by their beginning, even if compressed: %s',
    async (_, content) => {
      for (const file of [content, gzipSync(content)]) {
        const { found, passed } = await readFile(file);
        expect(passed).toEqual([]);
        expect(found).toHaveLength(1);
        expect(found[0]).toMatch(/^traffic:\d \/a(\?b)?$/);
      }
    },
  );

  it('are read as the given kind', async () => {
    const { found, passed } = await readFile(`x\n${line('/a')}`, { kind: 'lines' });
    expect(found).toEqual(['traffic:2 /a']);
    expect(passed).toHaveLength(1);
  });

  it('are rejected if they are of an unknown kind, or cannot be read', async () => {
    await expect(readFile('hello')).rejects.toThrow(
      /Unknown format of .*: har, lines, goreplay, iis, combined\.$/,
    );
    const missing = readTraffic(join(folder, 'missing'), { passedOver: () => undefined });
    await expect(missing.next()).rejects.toThrow(OperatorError);
    const again = readTraffic(join(folder, 'missing'), { passedOver: () => undefined });
    await expect(again.next()).rejects.toThrow(`Cannot read ${folder}/missing (ENOENT).`);
  });

  it('may be empty', async () => {
    expect(await readFile('')).toEqual({ found: [], passed: [] });
  });

  it('are read without requests that cannot be sent', async () => {
    const bad = [
      line('/a b'),
      line('*'),
      line('old.example:80'),
      line('/', { method: 'G ET' }),
      line('/', { headers: [['A b', '']] }),
      line('/', { headers: [['A', 'b\r\nC: d']] }),
      line('/\u0100'),
    ];
    const { found, passed } = await readFile(bad.join('') + line('/last'));
    expect(found).toEqual([`traffic:${String(bad.length + 1)} /last`]);
    expect(passed).toEqual([
      'traffic:1 the target is not a path',
      'traffic:2 the target is not a path',
      'traffic:3 the target is not a path',
      'traffic:4 invalid method',
      'traffic:5 invalid header',
      'traffic:6 invalid header',
      'traffic:7 the target is not a path',
    ]);
  });

  it('are read without requests to other hosts if hosts are given', async () => {
    const urls = ['http://Old.example/a', 'https://cdn.example/b', 'http://old.example:81/c'];
    const entries = urls.map((url) => ({ request: { method: 'GET', url } }));
    const content = JSON.stringify({ log: { entries } }, null, 1);
    expect((await readFile(content)).found).toHaveLength(3);
    const { found, passed } = await readFile(content, { hosts: ['old.example'] });
    expect(found).toEqual(['traffic:4 /a']);
    expect(passed).toEqual([
      'traffic:10 request to another host: cdn.example',
      'traffic:16 request to another host: old.example:81',
    ]);
  });

  it('are read up to where decompression fails', async () => {
    const requests = Array.from({ length: 2000 }, (_, index) => line(`/${String(index)}`)).join('');
    const packed = gzipSync(requests);
    const { found, passed } = await readFile(packed.subarray(0, packed.length - 400));
    expect(found.length).toBeGreaterThan(100);
    expect(passed.at(-1)).toBe(`${found.at(-1)?.split(' ')[0] ?? ''} the rest cannot be decompressed`);
  });
});
