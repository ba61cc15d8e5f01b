// What an old server, or somebody in its place, may answer: the caller gets a whole answer or sees that there is none,
// within the bounds, and the next caller gets its own.

import { setTimeout as after } from 'node:timers/promises';

import { type RawConnection, withConnection } from '../../../../scripts/harness';
import { startProxy, startRawOld, type StartedProxy, useClosing } from './use-reverse-proxy';

const closing = useClosing();

const SILENCE_MS = 200;
const OK = 'HTTP/1.1 200 OK';
const TWO = 'Content-Length: 2\r\n\r\nok';
const CHUNKS = 'Transfer-Encoding: chunked\r\n\r\n';
const GONE = { status: 502, text: 'Cannot connect to the server behind this proxy.' };
const SILENT = { status: 502, text: 'The server behind this proxy does not respond.' };

interface Expected {
  /**
   * Holds the status of the answer that the caller gets; undefined where it may see no more than a connection that
   * breaks.
   */
  readonly status: number | undefined;
  /** Stands in what the caller gets. */
  readonly text?: string;
  readonly outcome?: string;
}

/** @param ends whether the old server closes the connection behind the bytes */
interface Hostile extends Expected {
  readonly what: string;
  /** In Latin-1: a character is a byte. */
  readonly bytes: string;
  readonly ends?: boolean;
}

const answered = (status: number, text: string): Expected => ({ status, text, outcome: 'answered' });
const BROKEN: Expected = { status: undefined, outcome: 'broken' };
const UNREACHABLE: Expected = { ...GONE, outcome: 'unreachable' };

const SERVERS: readonly Hostile[] = [
  {
    what: 'a control character in its reason phrase',
    bytes: `HTTP/1.1 200 O\x01K\r\n${TWO}`,
    ...answered(200, 'HTTP/1.1 200 O K\r\n'),
  },
  {
    what: 'a reason phrase outside ASCII',
    bytes: `HTTP/1.1 200 Ba\xc5\x9far\xc4\xb1\r\n${TWO}`,
    ...answered(200, 'HTTP/1.1 200 Ba\xc5\x9far\xc4\xb1\r\n'),
  },
  { what: 'no reason phrase', bytes: `HTTP/1.1 200\r\n${TWO}`, ...answered(200, 'ok') },
  {
    what: 'a 204 with a length',
    bytes: 'HTTP/1.1 204 No\r\nContent-Length: 2\r\n\r\n',
    ...answered(204, ''),
  },
  { what: 'a 204 with a body', bytes: `HTTP/1.1 204 No\r\n${TWO}`, ...answered(204, '') },
  {
    what: 'a 204 with chunks',
    bytes: `HTTP/1.1 204 No\r\n${CHUNKS}2\r\nok\r\n0\r\n\r\n`,
    ...answered(204, ''),
  },
  {
    what: 'a 304 with the length of a missing body',
    bytes: 'HTTP/1.1 304 Not Modified\r\nContent-Length: 2\r\n\r\n',
    ...answered(304, 'Content-Length: 2'),
  },
  { what: 'a 304 with a body', bytes: `HTTP/1.1 304 No\r\n${TWO}`, ...answered(304, '') },
  {
    what: 'interim answers before its own',
    bytes: `HTTP/1.1 102 P\r\n\r\nHTTP/1.1 103 P\r\nLink: a\r\n\r\n${OK}\r\n${TWO}`,
    ...answered(200, 'ok'),
  },
  {
    what: 'a 100 that was not requested',
    bytes: `HTTP/1.1 100 Continue\r\n\r\n${OK}\r\n${TWO}`,
    ...UNREACHABLE,
  },
  {
    what: 'another protocol',
    bytes: 'HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nok',
    ...UNREACHABLE,
  },
  { what: 'bytes that are not HTTP', bytes: '220 mail.example ready\r\n', ...UNREACHABLE },
  { what: 'HTTP/0.9', bytes: '<html>hello</html>', ends: true, ...UNREACHABLE },
  { what: 'the status 099', bytes: `HTTP/1.1 099 OK\r\n${TWO}`, ...UNREACHABLE },
  { what: 'the status 1000', bytes: `HTTP/1.1 1000 OK\r\n${TWO}`, ...UNREACHABLE },
  { what: 'two lengths', bytes: `${OK}\r\nContent-Length: 3\r\n${TWO}`, ...UNREACHABLE },
  { what: 'a negative length', bytes: `${OK}\r\nContent-Length: -2\r\n\r\nok`, ...UNREACHABLE },
  {
    what: 'an impossible length',
    bytes: `${OK}\r\nContent-Length: 99999999999999999999\r\n\r\nok`,
    ...UNREACHABLE,
  },
  {
    what: 'a length and chunks',
    bytes: `${OK}\r\nContent-Length: 2\r\n${CHUNKS}2\r\nok\r\n0\r\n\r\n`,
    ...UNREACHABLE,
  },
  {
    what: 'a transfer coding that is not chunked',
    bytes: `${OK}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    ...UNREACHABLE,
  },
  {
    what: 'an unknown transfer coding',
    bytes: `${OK}\r\nTransfer-Encoding: xchunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    ends: true,
    ...UNREACHABLE,
  },
  { what: 'a chunk without a size', bytes: `${OK}\r\n${CHUNKS}zz\r\nok\r\n`, ...BROKEN },
  {
    what: 'a chunk of an impossible size',
    bytes: `${OK}\r\n${CHUNKS}fffffffffffffffff\r\nok\r\n`,
    ...BROKEN,
  },
  { what: 'an illegal trailer', bytes: `${OK}\r\n${CHUNKS}2\r\nok\r\n0\r\nX: \x01\r\n\r\n`, ...BROKEN },
  {
    what: 'a trailer with a framing header',
    bytes: `${OK}\r\n${CHUNKS}2\r\nok\r\n0\r\nContent-Length: 9\r\n\r\n`,
    ...BROKEN,
  },
  { what: 'a header without a colon', bytes: `${OK}\r\nX-A\r\n${TWO}`, ...UNREACHABLE },
  { what: 'a blank before a colon', bytes: `${OK}\r\nContent-Length : 2\r\n\r\nok`, ...UNREACHABLE },
  { what: 'a folded header', bytes: `${OK}\r\nX-A: a\r\n b\r\n${TWO}`, ...UNREACHABLE },
  { what: 'a control character in a name', bytes: `${OK}\r\nX\x01A: a\r\n${TWO}`, ...UNREACHABLE },
  { what: 'a NUL in a value', bytes: `${OK}\r\nX-A: a\0b\r\n${TWO}`, ...UNREACHABLE },
  { what: 'lines that end with LF only', bytes: `${OK}\nContent-Length: 2\n\nok`, ...UNREACHABLE },
  { what: 'a CR within a line', bytes: `${OK}\r\nX-A: a\rX-B: b\r\n${TWO}`, ...UNREACHABLE },
  {
    what: 'an endless head',
    bytes: `${OK}\r\n${`X-A: ${'a'.repeat(1000)}\r\n`.repeat(100)}`,
    ...UNREACHABLE,
  },
  { what: 'half a head', bytes: `${OK}\r\nContent-Le`, ends: true, ...UNREACHABLE },
  { what: 'nothing, and disconnects', bytes: '', ends: true, ...UNREACHABLE },
  { what: 'nothing', bytes: '', ...SILENT, outcome: 'silent' },
  {
    what: 'half a body',
    bytes: `${OK}\r\nContent-Length: 20\r\n\r\nok`,
    ends: true,
    status: 200,
    outcome: 'broken',
  },
  {
    what: 'half a body, then silence',
    bytes: `${OK}\r\nContent-Length: 20\r\n\r\nok`,
    status: 200,
    outcome: 'broken',
  },
  {
    what: 'two answers to one request',
    bytes: `${OK}\r\n${TWO}${OK}\r\nContent-Length: 4\r\n\r\nevil`,
    ...answered(200, 'ok'),
  },
  { what: 'more than its length', bytes: `${OK}\r\n${TWO}evil`, ...answered(200, 'ok') },
];

/** Asks, and returns all that comes until the connection closes. */
function ask(proxy: StartedProxy, path: string): Promise<string> {
  return withConnection(proxy.port, async (connection: RawConnection) => {
    connection.write(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
    return (await connection.readUntilClosed()).toString('latin1');
  });
}

describe('an old server that answers with', () => {
  it.each(SERVERS.map((server) => [server.what, server] as const))(
    '%s does no harm',
    async (_what, { bytes, ends, status, text = '', outcome }) => {
      const old = closing(
        await startRawOld((request, socket) => {
          if (request.includes('/good')) socket.write(`${OK}\r\nContent-Length: 4\r\n\r\ngood`);
          else if (ends === true) socket.end(bytes, 'latin1');
          else socket.write(bytes, 'latin1');
        }),
      );
      const proxy = closing(await startProxy({ old: old.port, oldSilenceMs: SILENCE_MS }));
      const answer = await ask(proxy, '/bad');
      if (status !== undefined) expect(answer.slice(0, 13)).toBe(`HTTP/1.1 ${String(status)} `);
      expect(answer).toContain(text);
      // Nothing follows the answer, and half of one does not look whole.
      expect(answer.split('HTTP/1.1').length).toBeLessThanOrEqual(2);
      expect(answer.endsWith('\r\n0\r\n\r\n')).toBe(false);
      expect(answer).not.toContain('evil');
      expect(proxy.passed).toMatchObject([{ outcome }]);
      expect((await ask(proxy, '/good')).endsWith('\r\n\r\ngood')).toBe(true);
    },
  );

  it('endless interim answers counts as silent', async () => {
    const old = closing(
      await startRawOld((_bytes, socket) => {
        void (async () => {
          while (!socket.destroyed) {
            socket.write('HTTP/1.1 102 Processing\r\n\r\n');
            await after(SILENCE_MS / 10);
          }
        })();
      }),
    );
    const proxy = closing(await startProxy({ old: old.port, oldSilenceMs: SILENCE_MS }));
    const answer = await ask(proxy, '/bad');
    expect(answer).toMatch(/^HTTP\/1\.1 502 /);
    expect(answer).toContain(SILENT.text);
    expect(proxy.passed).toMatchObject([{ outcome: 'silent' }]);
  });
});
