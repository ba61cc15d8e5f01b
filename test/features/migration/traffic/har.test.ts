import { harEntries, readHar } from '../../../../src/features/migration/traffic/har';
import { read } from './read';
import { Readable } from 'node:stream';

const ANSWER = { status: 200, content: { text: '{"entries":[{"request":"]}\\"' } };

function entry(request: object) {
  return { startedDateTime: '2026-11-20T05:00:00.000Z', time: 12, request, response: ANSWER };
}

function har(entries: readonly unknown[], indent = 2): string {
  const pages = [{ id: 'page_1', entries: [{ request: 'of a page' }] }];
  const creator = { name: 'entries', entries: [{}] };
  return JSON.stringify(
    { log: { version: '1.2', creator, pages, entries, comment: 'entries' } },
    null,
    indent,
  );
}

const POST = {
  method: 'POST',
  url: 'http://old.example:81/Scheduals.asmx?x=ş#part',
  httpVersion: 'HTTP/2',
  headers: [
    { name: ':method', value: 'POST' },
    { name: 'Content-Type', value: 'text/xml; charset=utf-8' },
    { name: 'SOAPAction', value: '"http://tempuri.org/GetExamTableByExamId"' },
  ],
  postData: { mimeType: 'text/xml', text: '<?xml?>\r\n<ü/>' },
};

const bodyOf = async (request: object) => {
  const { found, passed } = await read(
    readHar,
    har([entry({ method: 'POST', url: 'http://a/b', ...request })]),
  );
  return found[0]?.request.body.toString('latin1') ?? passed[0]?.reason;
};

describe('HAR files', () => {
  it('contain requests with their hosts, whatever the layout of the file', async () => {
    const get = { method: 'GET', url: 'https://cdn.example', headers: [], bodySize: -1 };
    for (const indent of [0, 2]) {
      const { found, passed } = await read(readHar, har([entry(POST), entry(get)], indent));
      expect(passed).toEqual([]);
      expect(found.map(({ host, request }) => ({ host, ...request }))).toEqual([
        {
          host: 'old.example:81',
          method: 'POST',
          target: '/Scheduals.asmx?x=%C5%9F',
          headers: [
            ['Content-Type', 'text/xml; charset=utf-8'],
            ['SOAPAction', '"http://tempuri.org/GetExamTableByExamId"'],
          ],
          body: Buffer.from('<?xml?>\r\n<ü/>'),
        },
        { host: 'cdn.example', method: 'GET', target: '/', headers: [], body: Buffer.alloc(0) },
      ]);
    }
  });

  it('contain bodies as text, as base64, as form fields or not at all', async () => {
    expect(await bodyOf({ postData: { text: 'ü' } })).toBe('Ã¼');
    expect(await bodyOf({ postData: { text: '/wA=', encoding: 'base64' } })).toBe('\xff\0');
    expect(await bodyOf({ postData: { params: [{ name: 'id', value: 'a b&ü' }, { name: 'x' }] } })).toBe(
      'id=a+b%26%C3%BC&x=',
    );
    expect(await bodyOf({ postData: { text: '' } })).toBe('');
    expect(await bodyOf({ bodySize: 0 })).toBe('');
    expect(await bodyOf({ bodySize: 12 })).toBe('missing body');
    expect(await bodyOf({ postData: { params: [{ name: 'f', fileName: 'a.png' }] } })).toBe('missing body');
  });

  it('with invalid entries are reported entry by entry, with the line', async () => {
    const entries = [
      entry(POST),
      'no entry',
      entry({ method: 'GET' }),
      entry({ method: 'GET', url: 'data:,a' }),
      entry(POST),
    ];
    const lines = har([entry(POST)])
      .split('\n')
      .findIndex((line) => line.includes('startedDateTime'));
    const { found, passed } = await read(readHar, har(entries));
    expect(found).toHaveLength(2);
    expect(found[0]?.line).toBe(lines);
    expect(passed.map(({ what, reason }) => [what, reason])).toEqual([
      ['malformed', 'no request in the entry'],
      ['incomplete', 'not an HTTP URL'],
    ]);
    const broken = har([entry(POST), entry(POST)]).replace('"time": 12', '"time": 1_2');
    expect(await read(readHar, broken)).toMatchObject({
      found: [{}],
      passed: [{ line: lines, reason: 'no request in the entry' }],
    });
  });

  it('may be cut off at any byte; all entries before it are read, and it is reported', async () => {
    const file = Buffer.from(har([entry(POST), entry(POST)], 0));
    for (let length = 1; length < file.length; length += 1) {
      const { found, passed } = await read(readHar, file.subarray(0, length), 1000);
      expect(found.length).toBe(file.toString('utf8', 0, length).split('\\\\\\""}}}').length - 1);
      expect(passed).toHaveLength(1);
    }
  });

  it('are read in memory only for entries up to a size limit', async () => {
    const file = Buffer.from(
      har([entry(POST), entry({ ...POST, comment: 'a'.repeat(2000) }), entry(POST)], 0),
    );
    const found: boolean[] = [];
    for await (const { json } of harEntries(Readable.from([file.subarray(0, 900), file.subarray(900)]), 1000))
      found.push(json !== undefined);
    expect(found).toEqual([true, false, true]);
  });
});
