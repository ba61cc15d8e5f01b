// The wire contract, section 2.6, and what HTTP asks of a server around it.

import { formTokenIs, seen, token11Is, token12Is } from '../harness/asmx-answers';
import { chunked, form, get, headOf, token11, token12, withHeaders } from '../../scripts/harness';
import { useReference } from '../harness/use-server';

const reference = useReference();
const ASMX = '/PushNotificationMobile.asmx';
const TOKEN = `${ASMX}/GetTokenDevice`;

describe('Expect: 100-continue', () => {
  it('is answered before the body is sent, as .NET proxies expect', async () => {
    const connection = await reference.connect();
    const request = token11('7');
    const body = String(request.body);
    connection.send(
      headOf(request, ['Expect', '100-continue'], ['Content-Length', String(Buffer.byteLength(body))]),
    );
    expect((await connection.read()).status).toBe(100);
    connection.write(body);
    expect(seen(await connection.read())).toEqual(token11Is('TOKEN-7'));
  });

  it('is answered even if the body is sent at once', async () => {
    expect(await reference.ask(withHeaders(token11('7'), ['Expect', '100-continue']))).toEqual(
      token11Is('TOKEN-7'),
    );
    expect(await reference.ask(withHeaders(token12('7'), ['Expect', '100-Continue']))).toEqual(
      token12Is('TOKEN-7'),
    );
  });

  it('is ignored with another value', async () => {
    for (const expected of ['miracles', '200-ok', '100-continue, miracles']) {
      expect(await reference.ask(withHeaders(token11('7'), ['Expect', expected]))).toEqual(
        token11Is('TOKEN-7'),
      );
    }
  });
});

describe('HTTP/1.0', () => {
  it('is supported by every binding, without a Host', async () => {
    const connection = await reference.connect();
    connection.write(`GET ${TOKEN}?id=7 HTTP/1.0\r\n\r\n`);
    const response = await connection.read();
    expect(seen(response)).toEqual(formTokenIs('TOKEN-7'));
    expect(response.header('Transfer-Encoding')).toBeUndefined();
    expect(await connection.readUntilClosed()).toHaveLength(0);

    expect(await reference.ask({ ...token11('7'), httpVersion: '1.0' })).toEqual(token11Is('TOKEN-7'));
    expect(await reference.ask({ ...token12('7'), httpVersion: '1.0' })).toEqual(token12Is('TOKEN-7'));
    const post = form('PushNotificationMobile', 'GetTokenDevice', 'id=7');
    expect(await reference.ask({ ...post, httpVersion: '1.0' })).toEqual(formTokenIs('TOKEN-7'));
  });

  it('gets a description with an address even without a Host', async () => {
    const connection = await reference.connect();
    connection.write(`GET ${ASMX}?wsdl HTTP/1.0\r\n\r\n`);
    const response = await connection.read();
    expect(response.status).toBe(200);
    expect(response.text).toMatch(/location="http:\/\/[^"/]+\/PushNotificationMobile\.asmx"/);
  });
});

describe('a chunked body', () => {
  it('is accepted by SOAP and by forms', async () => {
    const request = token11('ş7');
    const body = String(request.body);
    const cut = body.indexOf('ş');
    const soap = withHeaders(
      { ...request, body: chunked(body.slice(0, cut), body.slice(cut, cut + 1), body.slice(cut + 1)) },
      ['Transfer-Encoding', 'chunked'],
    );
    expect(await reference.ask(soap)).toEqual(token11Is('TOKEN-ş7'));

    const post = form('PushNotificationMobile', 'GetTokenDevice', chunked('i', 'd=', '7'));
    expect(await reference.ask(withHeaders(post, ['Transfer-Encoding', 'chunked']))).toEqual(
      formTokenIs('TOKEN-7'),
    );
  });

  it('is read correctly when a character is split', async () => {
    const request = token11('ş');
    const bytes = Buffer.from(String(request.body));
    const cut = bytes.indexOf('ş') + 1;
    const connection = await reference.connect();
    connection.send(headOf(request, ['Content-Length', String(bytes.length)]));
    connection.write(bytes.subarray(0, cut));
    connection.write(bytes.subarray(cut));
    expect(seen(await connection.readFinal())).toEqual(token11Is('TOKEN-ş'));
  });
});

describe('a connection', () => {
  const keepAlive: [string, string] = ['Connection', 'keep-alive'];

  it('is kept for the next request, whatever the previous answer', async () => {
    const connection = await reference.connect();
    const statuses: number[] = [];
    const requests = [
      token11('7'),
      token11('&'),
      token11('throw'),
      { ...token11('7'), headers: [['Content-Type', 'text/plain'] as const] },
      get('PushNotificationMobile', 'Nope'),
      { path: '/nope' },
      { path: `${ASMX}?wsdl` },
      { method: 'PUT', path: ASMX },
      form('PushNotificationMobile', 'GetTokenDevice', 'id=7'),
      token12('7'),
    ];
    for (const request of requests) {
      connection.send(withHeaders(request, keepAlive));
      statuses.push((await connection.readFinal(request.method)).status);
    }
    expect(statuses).toEqual([200, 400, 500, 415, 500, 404, 200, 405, 200, 200]);
  });

  it('is kept after an unsupported method', async () => {
    const connection = await reference.connect();
    connection.send(withHeaders({ method: 'HEAD', path: ASMX }, keepAlive));
    expect((await connection.read('HEAD')).status).toBe(405);
    connection.send(withHeaders(token11('7'), keepAlive));
    expect(seen(await connection.read())).toEqual(token11Is('TOKEN-7'));
  });

  it('is closed if the caller asks for it', async () => {
    const connection = await reference.connect();
    connection.send(token11('7'));
    expect(seen(await connection.read())).toEqual(token11Is('TOKEN-7'));
    expect(await connection.readUntilClosed()).toHaveLength(0);
  });

  it('answers pipelined requests in their order', async () => {
    const connection = await reference.connect();
    const ids = Array.from({ length: 20 }, (_, index) => String(index));
    for (const id of ids)
      connection.send(withHeaders(id.endsWith('3') ? token12(id) : token11(id), keepAlive));
    for (const id of ids) {
      const answer = seen(await connection.read());
      expect(answer).toEqual(id.endsWith('3') ? token12Is(`TOKEN-${id}`) : token11Is(`TOKEN-${id}`));
    }
  });

  it('carries the next request after an unread body', async () => {
    const connection = await reference.connect();
    connection.send(withHeaders({ method: 'PUT', path: ASMX, body: 'x'.repeat(10_000) }, keepAlive));
    expect((await connection.readFinal('PUT')).status).toBe(405);
    connection.send(withHeaders({ method: 'POST', path: '/Nope.asmx', body: 'y'.repeat(10_000) }, keepAlive));
    expect((await connection.readFinal('POST')).status).toBe(404);
    connection.send(withHeaders(token11('7'), keepAlive));
    expect(seen(await connection.readFinal())).toEqual(token11Is('TOKEN-7'));
  });
});

describe('bytes that are not HTTP', () => {
  it.each([
    ['garbage', 'garbage\r\n\r\n'],
    ['a TLS hello', '\u0016\u0003\u0001\u0002\u0000'],
    ['a request line of 100 KB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\n\r\n`],
    ['headers of 100 KB', `GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: h\r\n: x\r\n\r\n'],
    ['two lengths', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'],
    [
      'a length and a transfer coding',
      'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['a chunk without a size', 'POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a negative length', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n'],
  ])('end their connection with a client error: %s', async (_what, bytes) => {
    const connection = await reference.connect();
    connection.write(bytes);
    const received = (await connection.readUntilClosed()).toString('latin1');
    if (received !== '') expect(received).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(received).not.toMatch(/node:|\.js|\.ts| at /);
    expect(await reference.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
  });

  it('do not smuggle a second request', async () => {
    const connection = await reference.connect();
    const smuggled = `GET ${TOKEN}?id=smuggled HTTP/1.1\r\nHost: h\r\n\r\n`;
    connection.write(
      `POST ${ASMX} HTTP/1.1\r\nHost: h\r\nContent-Length: ${String(smuggled.length + 5)}\r\n` +
        `Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    );
    expect((await connection.readUntilClosed()).toString()).not.toContain('smuggled');
  });
});

describe('callers that disconnect', () => {
  it('in the middle of a request do not stop the service', async () => {
    for (const cut of ['POST / HT', `POST ${ASMX} HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n<soap`]) {
      const connection = await reference.connect();
      connection.write(cut);
      connection.close();
    }
    for (let round = 0; round < 5; round += 1) {
      const connection = await reference.connect();
      connection.send(token11('7'));
      connection.close();
    }
    expect(await reference.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
  });
});

describe('slow callers', () => {
  const impatient = useReference({ timeouts: { headersMs: 100, requestMs: 200 } });

  it.each([
    ['do not send a complete head', 'POST / HTTP/1.1\r\nHost: h\r\n'],
    ['do not send a body', `POST ${ASMX} HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n`],
    ['send only half a body', `POST ${ASMX} HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345`],
  ])('are cut off if they %s', async (_what, bytes) => {
    const connection = await impatient.connect();
    connection.write(bytes);
    const received = (await connection.readUntilClosed()).toString('latin1');
    if (received !== '') expect(received).toMatch(/^HTTP\/1\.1 408 /);
    expect(await impatient.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
  });
});
