import { readGoReplay } from '../../../../src/features/migration/traffic/goreplay';
import { read } from './read';

const SEPARATOR = '\n🐵🙈🙉\n';
const ID = '8e091765ae902fef8a2b7d9dd960e9d52222bd8c';

function record(kind: 1 | 2 | 3, ...message: readonly string[]): string {
  return `${String(kind)} ${ID} 1732257600000000000 0\n${message.join('\r\n')}${SEPARATOR}`;
}

const POST = record(
  1,
  'POST /Scheduals.asmx HTTP/1.1',
  'Host: old',
  'Content-Type:text/xml; charset=utf-8 ',
  'SOAPAction: "a"',
  'Content-Length: 9',
  '',
  '<a>\nü</a>'.slice(0, 8),
);

describe('GoReplay files', () => {
  it('contain exact requests; answers in them are skipped', async () => {
    const answers = record(2, 'HTTP/1.1 200 OK', '', 'x') + record(3, 'HTTP/1.1 500 No', '', '');
    const get = record(1, 'GET /GetNoteType.asmx/GetStudentsNoteType? HTTP/1.0', 'A:', 'A: b', '', '');
    const { found, passed } = await read(readGoReplay, POST + answers + get);
    expect(passed).toEqual([]);
    expect(found).toEqual([
      {
        line: 1,
        request: {
          method: 'POST',
          target: '/Scheduals.asmx',
          headers: [
            ['Host', 'old'],
            ['Content-Type', 'text/xml; charset=utf-8'],
            ['SOAPAction', '"a"'],
            ['Content-Length', '9'],
          ],
          body: Buffer.from('<a>\nü</a'),
        },
      },
      {
        line: 21,
        request: {
          method: 'GET',
          target: '/GetNoteType.asmx/GetStudentsNoteType?',
          headers: [
            ['A', ''],
            ['A', 'b'],
          ],
          body: Buffer.alloc(0),
        },
      },
    ]);
  });

  it('are read without chunk framing, and without bytes after the stated length', async () => {
    const head = ['POST /a HTTP/1.1', 'Transfer-Encoding: gzip, Chunked', '', ''];
    const chunked = record(1, ...head.slice(0, 3), '3;x=y', 'a\nb', 'A', '\r\n01234567', '0', 'T: u', '', '');
    const longer = record(1, 'POST /b HTTP/1.1', 'Content-Length: 2', '', 'abc');
    const { found, passed } = await read(readGoReplay, chunked + longer);
    expect(passed).toEqual([]);
    expect(found.map(({ request }) => request.body.toString())).toEqual(['a\nb\r\n01234567', 'ab']);
  });

  it.each([
    ['an invalid first line', 'hello\nGET / HTTP/1.1\r\n\r\n', 'not the first line of a GoReplay record'],
    ['no request line', record(1, 'GET /', '', ''), 'no request line'],
    ['an unfinished head', record(1, 'GET / HTTP/1.1', 'A: b'), 'incomplete head'],
    ['an invalid header', record(1, 'GET / HTTP/1.1', 'A b', '', ''), 'invalid header line'],
    ['a folded header', record(1, 'GET / HTTP/1.1', 'A: b', ' c: d', '', ''), 'invalid header line'],
    ['less than its length', record(1, 'POST / HTTP/1.1', 'Content-Length: 4', '', 'abc'), 'truncated body'],
    ['an invalid length', record(1, 'POST / HTTP/1.1', 'Content-Length: a', '', 'abc'), 'truncated body'],
    [
      'a truncated chunk',
      record(1, 'POST / HTTP/1.1', 'Transfer-Encoding: chunked', '', '4', 'abc'),
      'truncated body',
    ],
    [
      'a missing last chunk',
      record(1, 'POST / HTTP/1.1', 'Transfer-Encoding: chunked', '', '3', 'abc', ''),
      'truncated body',
    ],
  ])('with %s are reported, and the rest is read', async (_, bad, reason) => {
    const whole = bad.endsWith(SEPARATOR) ? bad : bad + SEPARATOR;
    const { found, passed } = await read(readGoReplay, POST + whole + POST);
    expect(found).toHaveLength(2);
    expect(passed).toEqual([{ line: 11, what: 'malformed', reason }]);
  });

  it('may be cut off at any byte; everything before it is read, but never half a request', async () => {
    const file = Buffer.from(POST + POST);
    const all = (await read(readGoReplay, file, 1000)).found.map(({ request }) => request);
    const first = Buffer.byteLength(POST);
    for (let length = 1; length < file.length; length += 1) {
      const { found, passed } = await read(readGoReplay, file.subarray(0, length), 1000);
      expect(found.map(({ request }) => request)).toEqual(all.slice(0, found.length));
      // Behind the last byte of a body comes only the separator.
      const bodyEnds = (end: number) => length >= end - Buffer.byteLength(SEPARATOR);
      expect(found).toHaveLength(Number(bodyEnds(first)) + Number(bodyEnds(2 * first)));
      expect(passed.length).toBeLessThanOrEqual(1);
    }
  });
});
