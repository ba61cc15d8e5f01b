// Attacks through the transport.

import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

import {
  emptyAnswer,
  fault11,
  fault12,
  formError,
  seen,
  token11Is,
  type WireAnswer,
} from '../../harness/asmx-answers';
import {
  call,
  envelope11,
  form,
  formatRequest,
  type Header,
  headOf,
  type LogLine,
  RawConnection,
  type RawRequest,
  type RawResponse,
  SOAP_XML,
  soap11,
  TEXT_XML,
  token11,
  withConnection,
  withHeaders,
} from '../../../scripts/harness';
import { MARK, useAttackedService } from './attacked-service';

const PUSH = 'PushNotificationMobile';
const ASMX = `/${PUSH}.asmx`;
const LIMIT = 4 * 2 ** 20;
const ID = `${MARK}-7`;
const TOKEN = 'token-plain';
const GOOD = token11(ID);
const FORM = form(PUSH, 'GetTokenDevice', `id=${ID}`);

/** Its time limits are short enough for a test to wait for their end. */
const service = useAttackedService({
  devices: { [ID]: TOKEN },
  settings: () => ({ REQUEST_TIMEOUT_SECONDS: '1' }),
});

/** Lists what each binding says of a body that is too long. */
const TOO_LONG: readonly (readonly [head: RawRequest, answer: WireAnswer])[] = [
  [
    headOf(GOOD),
    fault11(
      'Server',
      'There was an exception running the extensions specified in the config file. ---> Maximum request length exceeded.',
    ),
  ],
  [
    { path: ASMX, headers: [['Content-Type', SOAP_XML]] },
    fault12(
      'Receiver',
      'Server was unable to process request. ---> Object reference not set to an instance of an object.',
    ),
  ],
  [headOf(FORM), formError('Maximum request length exceeded.')],
];

/** Sends what is given on a connection of its own, and returns all that comes until its end. */
function sendAll(bytes: string | Uint8Array): Promise<string> {
  return withConnection(service.process.port, async (connection) => {
    connection.write(bytes);
    return (await connection.readUntilClosed()).toString('latin1');
  });
}

/** Resolves when the log shows this number of requests whose callers disconnected. */
async function brokenOff(count: number): Promise<void> {
  const isOne = (line: LogLine): boolean => line['msg'] === 'request' && line['status'] === 0;
  await service.process.lines(
    (lines) => (lines.filter(isOne).length >= count ? true : undefined),
    'before it logged them',
  );
}

/** A page that says what is wrong, and that the connection ends. */
function expectPage(text: string, status: string): void {
  expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\\r\\n`));
  expect(text).toContain('\r\nContent-Type: text/html; charset=utf-8\r\n');
  expect(text).toContain('\r\nConnection: close\r\n');
}

describe('transport', () => {
  /** Over every binding at once, for each waits a moment for what its caller still sends. */
  async function expectRefused(body: string, ...headers: readonly Header[]): Promise<void> {
    const refused = ([head, answer]: (typeof TOO_LONG)[number]): Promise<RawResponse> =>
      withConnection(service.process.port, async (connection) => {
        const request = withHeaders({ ...head, body, keepAlive: true }, ...headers);
        connection.write(formatRequest(request, 'h'));
        const response = await connection.read();
        expect(seen(response)).toEqual(answer);
        expect(response.header('Connection')).toBe('close');
        expect(await connection.readUntilClosed()).toHaveLength(0);
        return response;
      });
    await service.survives(() => Promise.all(TOO_LONG.map(refused)), TOO_LONG.length);
  }

  it('39 Content-Length over the limit: rejected before the body is sent', async () => {
    await expectRefused('', ['Content-Length', String(LIMIT + 1)]);
  });

  it('40 Chunked body over the limit: rejected before its end', async () => {
    const size = LIMIT + 1;
    const chunk = `${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`;
    await expectRefused(chunk, ['Transfer-Encoding', 'chunked']);
  });

  const plain = String(GOOD.body);
  it.each([
    ['41 Content-Encoding gzip: good', 'gzip', gzipSync(plain)],
    ['41 Content-Encoding gzip: garbage', 'gzip', Buffer.from('garbage')],
    ['41 Content-Encoding gzip: cut', 'gzip', gzipSync(plain).subarray(0, 40)],
    ['41 Content-Encoding gzip: empty', 'gzip', Buffer.alloc(0)],
    ['42 Content-Encoding br', 'br', brotliCompressSync(plain)],
    ['42 Content-Encoding deflate', 'deflate', deflateSync(plain)],
    ['42 Content-Encoding of an unknown kind', 'x', Buffer.from('garbage')],
  ])('%s: not decompressed, so not XML', async (_row, coding, body) => {
    await service.answers([
      withHeaders(soap11(PUSH, 'GetTokenDevice', body), ['Content-Encoding', coding]),
      emptyAnswer(400, TEXT_XML),
    ]);
  });

  it('42 False Content-Encoding: the body counts', async () => {
    for (const coding of ['gzip', 'br', 'x']) {
      await service.answers([withHeaders(GOOD, ['Content-Encoding', coding]), token11Is(TOKEN)]);
    }
  });

  it('43 Slow heads, slow bodies, bodies never sent, 1,000 idle connections: closed, while others are answered', async () => {
    const head = `POST ${ASMX} HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n`;
    const slowHeads = [head, `${head}X: `];
    const slowBodies = [
      `${head}Content-Length: 10\r\n\r\n`,
      `${head}Content-Length: 10\r\n\r\n12345`,
      `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n`,
    ];
    const slow = [...slowHeads, ...slowBodies];
    await service.survives(async () => {
      const idle = await Promise.all(
        Array.from({ length: 1000 }, () => RawConnection.open(service.process.port)),
      );
      const answers = slow.map(sendAll);
      expect(seen(await service.process.ask(GOOD))).toEqual(token11Is(TOKEN));
      const received = await Promise.all(answers);
      for (const text of received) expectPage(text, '408 Request Timeout');
      await brokenOff(slowBodies.length);
      const ends = await Promise.all(idle.map((connection) => connection.readUntilClosed()));
      return [...received, ...ends.map((bytes) => bytes.toString('latin1'))];
    }, slow.length + 1);
  });

  describe('44 Two lengths, a length with Transfer-Encoding', () => {
    const SMUGGLED = `GET ${ASMX}/GetTokenDevice?id=${ID} HTTP/1.1\r\nHost: h\r\n\r\n`;
    const HEAD = `POST ${ASMX} HTTP/1.1\r\nHost: h\r\nContent-Type: text/xml\r\n`;

    it.each([
      ['two lengths', `${HEAD}Content-Length: 0\r\nContent-Length: ${String(SMUGGLED.length)}\r\n\r\n`],
      ['a length and chunks', `${HEAD}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
      ['chunks and a length', `${HEAD}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n`],
      ['a negative length', `${HEAD}Content-Length: -1\r\n\r\n`],
    ])('%s: rejected with 400, and nothing after it is read', async (_what, bytes) => {
      const [received] = await service.survives(async () => [await sendAll(bytes + SMUGGLED)]);
      expectPage(received, '400 Bad Request');
      expect(received).not.toContain(TOKEN);
      expect(received.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    });
  });

  describe('45 Expect: 100-continue', () => {
    const expecting: Header = ['Expect', '100-continue'];
    const body = envelope11(call('GetTokenDevice', { id: ID }));

    it('with a valid length: asked for the body, then answered', async () => {
      await service.survives(async () => {
        const length: Header = ['Content-Length', String(Buffer.byteLength(body))];
        return withConnection(service.process.port, async (connection) => {
          connection.send(headOf(GOOD, expecting, length));
          expect((await connection.read()).status).toBe(100);
          connection.write(body);
          const response = await connection.readFinal();
          expect(seen(response)).toEqual(token11Is(TOKEN));
          return [response];
        });
      });
    });

    it('with a length over the limit: rejected at once', async () => {
      await expectRefused('', expecting, ['Content-Length', String(LIMIT + 1)]);
    });
  });
});
