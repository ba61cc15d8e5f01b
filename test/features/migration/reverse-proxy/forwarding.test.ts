import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';

import { chunked, exchange, get, RawConnection, token11, withConnection } from '../../../../scripts/harness';
import { startProxy, startOld, startRawOld, useClosing } from './use-reverse-proxy';

const closing = useClosing();

/** Every mode passes on; here nothing is compared. */
const ELSEWHERE = '/old/page.aspx?a=%20b&c';

/** An old server that gives the same bytes to everybody, and keeps what it was sent. */
async function oldThatAnswers(answer: string) {
  const received: string[] = [];
  const old = closing(
    await startRawOld((bytes, socket) => {
      received.push(bytes.toString('latin1'));
      if (bytes.includes('\r\n\r\n')) socket.write(answer, 'latin1');
    }),
  );
  return { old, received };
}

async function proxyBefore(answer: string) {
  const { old, received } = await oldThatAnswers(answer);
  const proxy = closing(await startProxy({ old: old.port }));
  return { old, received, proxy };
}

const TOKEN = token11('DEV-1');

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Returns the headers that the old server gets, from a proxy that trusts a number of proxies. */
async function headBehind(
  trustProxy: number,
  headers: readonly (readonly [string, string])[],
): Promise<readonly string[]> {
  const { old, received } = await oldThatAnswers(OK);
  const proxy = closing(await startProxy({ old: old.port, trustProxy }));
  await exchange(proxy.port, { path: '/x', headers: [['Host', 'school.example'], ...headers] });
  return linesOf(received);
}

/** The lines of a request's head. */
function linesOf(received: readonly string[]): readonly string[] {
  return (received[0] ?? '').split('\r\n\r\n', 1)[0]?.split('\r\n') ?? [];
}

describe('a forwarded request', () => {
  it('keeps its target, and its headers in order and case, with duplicates', async () => {
    const { proxy, received } = await proxyBefore(OK);
    await exchange(proxy.port, {
      method: 'REPORT',
      path: ELSEWHERE,
      headers: [
        ['X-B', '1'],
        ['x-A', 'ü'],
        ['Host', 'school.example:8080'],
        ['X-B', '2'],
        ['Cookie', 'a=b'],
      ],
    });
    expect(linesOf(received)).toEqual([
      `REPORT ${ELSEWHERE} HTTP/1.1`,
      'host: school.example:8080',
      'connection: keep-alive',
      'X-B: 1',
      'x-A: ü',
      'X-B: 2',
      'Cookie: a=b',
      'X-Forwarded-For: 127.0.0.1',
      'X-Forwarded-Host: school.example:8080',
      'X-Forwarded-Proto: http',
    ]);
  });

  it('drops headers of its own connection, but keeps its host and length', async () => {
    const { proxy, received } = await proxyBefore(OK);
    await exchange(proxy.port, {
      path: '/x',
      method: 'POST',
      headers: [
        ['Connection', 'close, X-Gone, Host, content-length'],
        ['X-Gone', '1'],
        ['Keep-Alive', '5'],
        ['TE', 'trailers'],
        ['Upgrade', 'h2c'],
        ['Proxy-Connection', 'x'],
        ['Host', 'school.example'],
        ['X-Kept', '1'],
      ],
      body: 'a=1',
    });
    expect(linesOf(received).filter((line) => !line.startsWith('X-Forwarded'))).toEqual([
      'POST /x HTTP/1.1',
      'host: school.example',
      'connection: keep-alive',
      'X-Kept: 1',
      'content-length: 3',
    ]);
    expect(received.join('')).toMatch(/\r\n\r\na=1$/);
  });

  it.each([
    ['no proxy is trusted', 0, '127.0.0.1', 'school.example', 'http'],
    ['one proxy is trusted', 1, '192.0.2.7, 127.0.0.1', 'public.example', 'https'],
  ])('names its sender if %s', async (_what, trustProxy, sender, host, protocol) => {
    const head = await headBehind(trustProxy, [
      ['X-Forwarded-For', '192.0.2.7'],
      ['X-Forwarded-Host', 'public.example'],
      ['X-Forwarded-Proto', 'https'],
    ]);
    expect(head.filter((line) => line.startsWith('X-Forwarded'))).toEqual([
      `X-Forwarded-For: ${sender}`,
      `X-Forwarded-Host: ${host}`,
      `X-Forwarded-Proto: ${protocol}`,
    ]);
  });

  it.each([
    ['no proxy is trusted', 0, []],
    ['one proxy is trusted', 1, ['Forwarded: for=192.0.2.7', 'X-Real-IP: 192.0.2.7', 'X-Original-URL: /a']],
  ])('drops forwarding headers from untrusted senders if %s', async (_what, trustProxy, kept) => {
    const head = await headBehind(trustProxy, [
      ['Forwarded', 'for=192.0.2.7'],
      ['X-Real-IP', '192.0.2.7'],
      ['X-Original-URL', '/a'],
      ['X_Forwarded_For', '192.0.2.8'],
      ['x_real-ip', '192.0.2.8'],
      ['X-Original_URL', '/b'],
      ['Y-Kept', '1'],
      ['X-Forward', '1'],
    ]);
    expect(head.filter((line) => !/^(?:X-Forwarded|host|connection|GET)/.test(line))).toEqual([
      ...kept,
      'Y-Kept: 1',
      'X-Forward: 1',
    ]);
  });

  it.each(
    [
      'X-Forwarded-Port',
      'X-Forwarded-Prefix',
      'X-Forwarded',
      'X-Client-IP',
      'Client-IP',
      'X-Cluster-Client-IP',
      'True-Client-IP',
      'CF-Connecting-IP',
      'Fastly-Client-IP',
      'X-Rewrite-URL',
      'X-Original-Host',
      'X-Host',
      'X-ARR-SSL',
      'X-ARR-ClientCert',
      'Front-End-Https',
      'X-Url-Scheme',
    ].map((name) => [name]),
  )('drops %s from untrusted senders', async (name) => {
    const { proxy, received } = await proxyBefore(OK);
    await exchange(proxy.port, { path: '/x', headers: [[name, 'marked']] });
    expect(received).toHaveLength(1);
    expect(received.join('')).not.toContain('marked');
  });

  it.each([
    ['http://other.example/x?a=1', '/x?a=1'],
    ['HTTPS://user@other.example:8080/x', '/x'],
    ['http://other.example', '/'],
    ['http://other.example?a=1', '/?a=1'],
  ])('uses its own path and Host if it names another: %s', async (target, path) => {
    const { proxy, received } = await proxyBefore(OK);
    await exchange(proxy.port, { path: target, headers: [['Host', 'school.example']] });
    expect(linesOf(received).slice(0, 2)).toEqual([`GET ${path} HTTP/1.1`, 'host: school.example']);
    expect(received.join('')).not.toContain('other.example');
  });

  it('uses a connection that is kept for the next one, from any caller', async () => {
    const { proxy, old } = await proxyBefore(OK);
    for (let turn = 0; turn < 5; turn += 1) await exchange(proxy.port, get('/x', 'a=1'));
    expect(old.connections).toHaveLength(1);
  });

  it.each([
    'NTLM TlRM',
    'negotiate TlRM',
    'Negotiate',
    'NTLM\tTlRM',
    '\tNegotiate TlRM',
    ' \t Negotiate\tTlRM',
    'Negotiate,TlRM',
    'Kerberos TlRM',
  ])('has its own connection if its caller authenticates the connection: %j', async (credentials) => {
    const { proxy, old, received } = await proxyBefore(OK);
    const log = async (connection: RawConnection, headers = ''): Promise<void> => {
      connection.write(`GET /x HTTP/1.1\r\nHost: a\r\n${headers}\r\n`);
      await connection.readFinal();
    };
    await withConnection(proxy.port, async (alice) => {
      await log(alice, `Authorization:${credentials}\r\n`);
      await withConnection(proxy.port, (bob) => log(bob));
      await log(alice);
    });
    expect(received).toHaveLength(3);
    expect(old.connections).toHaveLength(2);
  });

  it('closes the connection of a caller that authenticated it when the caller leaves', async () => {
    const { proxy, old } = await proxyBefore(OK);
    await withConnection(proxy.port, async (alice) => {
      alice.write(`GET /x HTTP/1.1\r\nHost: a\r\nAuthorization: NTLM TlRM\r\n\r\n`);
      await alice.readFinal();
    });
    const [own] = old.connections;
    // It takes a few turns of the event loop; a thousand without it are a standstill.
    for (let turn = 0; turn < 1000 && own?.closed !== true; turn += 1) await nextTurn();
    expect(own?.closed).toBe(true);
  });

  it('has its own connection if the second of two Authorization headers authenticates it', async () => {
    const { proxy, old } = await proxyBefore(OK);
    await withConnection(proxy.port, async (alice) => {
      alice.write(
        `GET /x HTTP/1.1\r\nHost: a\r\nAuthorization: Basic YTpi\r\nAuthorization: NTLM TlRM\r\n\r\n`,
      );
      await alice.readFinal();
      await exchange(proxy.port, get('/x', 'a=1'));
    });
    expect(old.connections).toHaveLength(2);
  });

  it.each(['Basic YTpi', 'NTLMv3 TlRM', 'Bearer negotiate'])(
    'shares its connection if only the request is authenticated: %j',
    async (credentials) => {
      const { proxy, old } = await proxyBefore(OK);
      const sent = get('/x', 'a=1');
      await exchange(proxy.port, { ...sent, headers: [['Authorization', credentials]] });
      await exchange(proxy.port, sent);
      expect(old.connections).toHaveLength(1);
    },
  );

  it.each([
    ['/x', 'a=1'],
    ['/x', ''],
    ['/PushNotificationMobile.asmx/GetTokenDevice', 'id=1'],
    ['/PushNotificationMobile.asmx/GetTokenDevice', ''],
  ])('gets 100 Continue if it asks first, at %s with %j', async (path, body) => {
    const { proxy, received } = await proxyBefore(OK);
    const answers = await withConnection(proxy.port, async (connection) => {
      const length = `Content-Length: ${String(body.length)}`;
      connection.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n${length}\r\n\r\n`);
      const first = await connection.read('POST');
      connection.write(body);
      return [first.status, (await connection.read('POST')).status];
    });
    expect(answers).toEqual([100, 200]);
    expect(received.join('')).not.toMatch(/expect/i);
  });

  it.each([
    ['names two hosts', 'GET /x HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    ['has no path', 'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n'],
  ])('is not sent on if it %s', async (_what, bytes) => {
    const { proxy, received } = await proxyBefore(OK);
    const answer = await withConnection(proxy.port, (connection) => {
      connection.write(bytes);
      return connection.read();
    });
    expect(answer.status).toBe(400);
    expect(received).toEqual([]);
    expect(proxy.passed).toMatchObject([{ outcome: 'unsendable' }]);
  });
});

describe('a returned answer', () => {
  it.each([
    ['200 Fine', 'Content-Length: 2', 'ok', 'ok'],
    ['500 Oh', 'content-LENGTH: 2\r\nx-a: 1\r\nX-B: ü\r\nx-a: 2\r\nDate: yesterday', 'ok', 'ok'],
    ['404 ', 'X-A: 1\r\nTransfer-Encoding: chunked', '2\r\nok\r\n1\r\n!\r\n0\r\n\r\n', 'ok!'],
    ['204 Nothing', 'X-A: 1', '', ''],
    ['304 Not Modified', 'ETag: "1"', '', ''],
  ])('keeps its status line %j and its headers', async (status, headers, body, expected) => {
    const { proxy } = await proxyBefore(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${body}`);
    const answer = await exchange(proxy.port, { path: '/x' });
    const [first, ...lines] = answer.head.split('\r\n');
    expect(first).toBe(`HTTP/1.1 ${status}`);
    expect(lines.filter((line) => !/^(?:connection|transfer-encoding):/i.test(line)).join('\r\n')).toBe(
      headers.replace('\r\nTransfer-Encoding: chunked', ''),
    );
    expect(answer.text).toBe(expected);
  });

  it('to HEAD has a length and no body', async () => {
    const { proxy } = await proxyBefore('HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n');
    const answer = await exchange(proxy.port, { path: '/x', method: 'HEAD' });
    expect(answer.header('Content-Length')).toBe('20');
    expect(answer.body).toHaveLength(0);
  });

  it('that ends with its connection reaches the caller complete', async () => {
    const old = closing(
      await startRawOld((_bytes, socket) => {
        socket.end('HTTP/1.1 200 OK\r\n\r\nto the end');
      }),
    );
    const proxy = closing(await startProxy({ old: old.port }));
    expect((await exchange(proxy.port, { path: '/x' })).text).toBe('to the end');
  });

  it('keeps its trailers', async () => {
    const { proxy } = await proxyBefore(
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nX-Sum: 7\r\n\r\n',
    );
    const bytes = await withConnection(proxy.port, async (connection) => {
      connection.write('GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
      return connection.readUntilClosed();
    });
    expect(bytes.toString()).toMatch(/\r\n1\r\na\r\n0\r\nX-Sum: 7\r\n\r\n$/);
  });

  it.each(['Content-Length: 10\r\n\r\nhalf', 'Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n'])(
    'is broken off for the caller if the old server breaks it off: %j',
    async (half) => {
      const old = closing(
        await startRawOld((_bytes, socket) => {
          socket.write(`HTTP/1.1 200 OK\r\n${half}`, () => {
            socket.destroy();
          });
        }),
      );
      const proxy = closing(await startProxy({ old: old.port }));
      await expect(exchange(proxy.port, { path: '/x' })).rejects.toThrow('closed the connection');
      expect(proxy.passed).toMatchObject([{ outcome: 'broken', status: 200 }]);
    },
  );

  it('arrives piece by piece, as the old server sends it', async () => {
    let finish: () => void = () => undefined;
    const old = closing(
      await startOld((_request, response) => {
        response.writeHead(200, { 'Content-Length': 10 });
        response.write('first');
        finish = () => response.end('later');
      }),
    );
    const proxy = closing(await startProxy({ old: old.port }));
    const { body, rest } = await new Promise<{ body: string; rest: Promise<string> }>((resolve, reject) => {
      fetch(`http://127.0.0.1:${String(proxy.port)}/x`)
        .then(async ({ body }) => {
          const reader = (body as ReadableStream<Uint8Array>).getReader();
          const read = async (): Promise<string> => Buffer.from((await reader.read()).value ?? []).toString();
          resolve({ body: await read(), rest: read() });
        })
        .catch(reject);
    });
    expect(body).toBe('first');
    finish();
    expect(await rest).toBe('later');
  });
});

describe('a forwarded body', () => {
  async function echo() {
    const seen: { digest: string; length: string | undefined; coding: string | undefined }[] = [];
    const old = closing(
      await startOld((request: IncomingMessage, response) => {
        const hash = createHash('sha256');
        request.on('data', (piece: Buffer) => hash.update(piece));
        request.on('end', () => {
          const { 'content-length': length, 'transfer-encoding': coding } = request.headers;
          seen.push({ digest: hash.digest('hex'), length, coding });
          response.end('ok');
        });
      }),
    );
    return { seen, proxy: closing(await startProxy({ old: old.port })) };
  }

  it.each([3, 16_384, 16_385, 4_194_304])('of %i bytes arrives unchanged', async (size) => {
    const { proxy, seen } = await echo();
    const body = Buffer.alloc(size, 'abc\r\n');
    const digest = createHash('sha256').update(body).digest('hex');
    expect((await exchange(proxy.port, { path: '/x', body })).text).toBe('ok');
    expect(seen).toEqual([{ digest, length: String(size), coding: undefined }]);
  });

  it.each([1, 3000])('in chunks arrives complete, %i times ten bytes', async (pieces) => {
    const { proxy, seen } = await echo();
    const parts = Array.from({ length: pieces }, () => '0123456789');
    await exchange(proxy.port, {
      path: '/x',
      headers: [['Transfer-Encoding', 'chunked']],
      body: chunked(...parts),
    });
    const digest = createHash('sha256').update(parts.join('')).digest('hex');
    expect(seen).toMatchObject([{ digest }]);
  });
});

describe('an old server that is down', () => {
  it('is reported to the caller at once if it refuses the connection', async () => {
    const old = await startOld(() => undefined);
    const proxy = closing(await startProxy({ old: old.port }));
    await old.close();
    const answer = await exchange(proxy.port, TOKEN);
    expect(answer.status).toBe(502);
    expect(answer.header('Content-Type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toContain('Cannot connect to the server behind this proxy.');
    expect(proxy.passed).toMatchObject([
      { operation: 'GetTokenDevice', binding: 'soap11', outcome: 'unreachable', error: 'ECONNREFUSED' },
    ]);
  });

  it('is reported to a caller in the middle of a long body', async () => {
    const old = await startOld(() => undefined);
    const proxy = closing(await startProxy({ old: old.port }));
    await old.close();
    const answer = await withConnection(proxy.port, async (connection) => {
      connection.write('POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\nbegin');
      return connection.read('POST');
    });
    expect([answer.status, answer.header('Connection')]).toEqual([502, 'close']);
  });

  it('is reported to the caller after a time limit if it is silent, and is not asked twice', async () => {
    let asked = 0;
    const old = closing(await startRawOld(() => (asked += 1)));
    const proxy = closing(await startProxy({ old: old.port, oldSilenceMs: 50 }));
    const answer = await exchange(proxy.port, TOKEN);
    expect(answer.status).toBe(502);
    expect(answer.text).toContain('The server behind this proxy does not respond.');
    expect(proxy.passed).toMatchObject([{ outcome: 'silent' }]);
    expect(asked).toBe(1);
  });

  it('is not asked twice if it disconnects before answering', async () => {
    let asked = 0;
    const old = closing(
      await startRawOld((_bytes, socket) => {
        asked += 1;
        socket.destroy();
      }),
    );
    const proxy = closing(await startProxy({ old: old.port }));
    expect((await exchange(proxy.port, get('/x', 'a=1'))).status).toBe(502);
    expect(asked).toBe(1);
  });
});

describe('a caller', () => {
  it('that disconnects ends its request to the old server', async () => {
    let gone: () => void = () => undefined;
    const wentAway = new Promise<void>((resolve) => (gone = resolve));
    let here: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => (here = resolve));
    const old = closing(
      await startRawOld((_bytes, socket) => {
        socket.once('close', gone);
        here();
      }),
    );
    const proxy = closing(await startProxy({ old: old.port }));
    const connection = await RawConnection.open(proxy.port);
    connection.send({ path: '/x' });
    await arrived;
    connection.close();
    expect((await proxy.untilPassed(1))[0]).toMatchObject({ outcome: 'gone', status: 0 });
    await wentAway;
  });

  it('that does not read its answer slows down the old server, and is cut off after a time limit', async () => {
    const piece = Buffer.alloc(65_536, 'x');
    let sent = 0;
    const old = closing(
      await startOld((_request, response) => {
        const write = (): void => {
          while (sent < 2000 && response.write(piece)) sent += 1;
        };
        response.on('drain', write);
        response.writeHead(200);
        write();
      }),
    );
    const proxy = closing(await startProxy({ old: old.port, unreadMs: 100 }));
    const caller = connect(proxy.port, '127.0.0.1').pause();
    caller.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await proxy.untilPassed(1)).toMatchObject([{ outcome: 'gone', status: 200 }]);
    caller.destroy();
    expect(sent).toBeLessThan(2000);
  });
});

it('answers the reverse proxy’s own paths itself', async () => {
  const { proxy, received } = await proxyBefore(OK);
  expect((await exchange(proxy.port, { path: '/healthz' })).text).toBe('ours');
  expect(received).toEqual([]);
});
