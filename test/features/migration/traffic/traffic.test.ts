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
  iis: '#Fields: cs-method cs-uri-stem\nGET /a\n',
  'by a byte order mark': `\ufeff${line('/a')}`,
};

describe('traffic files', () => {
  it.each(Object.entries(BEGINNINGS))(
    'are recognized by their beginning, even if compressed: %s',
    async (_, content) => {
      for (const file of [content, gzipSync(content)]) {
        const { found, passed } = await readFile(file);
        expect(passed).toEqual([]);
        expect(found).toHaveLength(1);
        expect(found[0]).toMatch(/^traffic:\d \/a$/);
      }
    },
  );

  it('are read as the given kind', async () => {
    const { found, passed } = await readFile(`x\n${line('/a')}`, { kind: 'lines' });
    expect(found).toEqual(['traffic:2 /a']);
    expect(passed).toHaveLength(1);
  });

  it('are rejected if they are of an unknown kind, or cannot be read', async () => {
    await expect(readFile('hello')).rejects.toThrow(/Unknown format of .*: lines, iis\.$/);
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
      line('a/b'),
      line('/', { method: 'G ET' }),
      line('/', { headers: [['A b', '']] }),
      line('/', { headers: [['A', 'b\r\nC: d']] }),
      line('/\u0100'),
    ];
    const good = line('/last', { headers: [['A', 'b c\t\u00e9']] });
    const { found, passed } = await readFile(bad.join('') + good);
    expect(found).toEqual([`traffic:${String(bad.length + 1)} /last`]);
    expect(passed).toEqual([
      'traffic:1 the target is not a path',
      'traffic:2 the target is not a path',
      'traffic:3 the target is not a path',
      'traffic:4 the target is not a path',
      'traffic:5 invalid method',
      'traffic:6 invalid header',
      'traffic:7 invalid header',
      'traffic:8 the target is not a path',
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
