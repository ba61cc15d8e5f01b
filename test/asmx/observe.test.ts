// Beyond the wire contract: what the observer of exchanges receives.

import { once, EventEmitter } from 'node:events';

import { type Exchange, OperationFault } from '../../src/asmx';
import { startAsmxServer } from '../harness/asmx-server';
import {
  envelope11,
  form,
  get,
  type RawRequest,
  soap11,
  soap12,
  token11,
  token12,
  withHeaders,
} from '../../scripts/harness';
import { endpointsWith } from '../harness/recording-endpoints';
import { useServer } from '../harness/use-server';

const exchanges: Exchange[] = [];
const events = new EventEmitter();
const thrown = new Error('boom');
let release: (token: string) => void = () => undefined;

const OUTCOMES: Readonly<Record<string, () => Promise<string>>> = {
  throw: () => {
    throw thrown;
  },
  fault: () => {
    throw new OperationFault('Client', 'not you');
  },
  serverFault: () => {
    throw new OperationFault('Server', 'not now');
  },
  wait: () => new Promise((resolve) => (release = resolve)),
};

const service = useServer(() =>
  startAsmxServer({
    endpoints: endpointsWith((operation) => ({ id }, call) => {
      if (operation !== 'GetTokenDevice') return Promise.resolve(undefined);
      if (call.trace !== undefined) call.annotate({ part: call.trace.traceparent });
      call.annotate({ found: true });
      call.annotate({ entries: 3 });
      events.emit('called');
      return OUTCOMES[id ?? '']?.() ?? Promise.resolve('token');
    }),
    observe: (exchange) => {
      exchanges.push(exchange);
      events.emit('exchange');
    },
    trace: ({ headers }) =>
      typeof headers['x-part'] === 'string' ? { traceparent: headers['x-part'] } : undefined,
    timeouts: { headersMs: 200, requestMs: 300 },
  }),
);

beforeEach(() => {
  exchanges.length = 0;
});

/** Returns the exchange reported for a request, which must be reported once. */
async function toldOf(request: RawRequest): Promise<Exchange | undefined> {
  const heard = once(events, 'exchange');
  await service.send(request);
  await heard;
  expect(exchanges).toHaveLength(1);
  return exchanges[0];
}

const PUSH = 'PushNotificationMobile';

it('a handler and the observer receive the trace of the request', async () => {
  expect(await toldOf(withHeaders(token11('7'), ['X-Part', 'of-it']))).toMatchObject({
    trace: { traceparent: 'of-it' },
    fields: { part: 'of-it', found: true },
  });
  exchanges.length = 0;
  const other = await toldOf(token11('7'));
  expect(other?.trace).toBeUndefined();
  expect(other?.fields).not.toHaveProperty('part');
});

describe('an exchange is reported once, with', () => {
  it.each<[string, RawRequest, Partial<Exchange>]>([
    [
      'SOAP 1.1',
      token11('7'),
      { binding: 'soap11', operation: 'GetTokenDevice', status: 200, outcome: 'ok' },
    ],
    [
      'SOAP 1.2',
      token12('7'),
      { binding: 'soap12', operation: 'GetTokenDevice', status: 200, outcome: 'ok' },
    ],
    ['HTTP GET', get(PUSH, 'GetTokenDevice', 'id=7'), { binding: 'get', operation: 'GetTokenDevice' }],
    ['HTTP POST', form(PUSH, 'GetTokenDevice', 'id=7'), { binding: 'post', operation: 'GetTokenDevice' }],
    ['the description', { path: `/${PUSH}.asmx?wsdl` }, { binding: 'wsdl', status: 200, outcome: 'ok' }],
    ['discovery', { path: `/${PUSH}.asmx?disco` }, { binding: 'disco', status: 200 }],
    ['the page', { path: `/${PUSH}.asmx` }, { binding: 'page', status: 200 }],
    [
      'the page of an operation',
      { path: `/${PUSH}.asmx?op=GetTokenDevice` },
      { binding: 'page', status: 200 },
    ],
    ['a description by number', { path: `/${PUSH}.asmx?wsdl=1` }, { binding: 'wsdl', status: 500 }],
    ['a schema', { path: `/${PUSH}.asmx?schema=1` }, { binding: 'wsdl', status: 500 }],
    [
      'more pairs than are read',
      { path: `/${PUSH}.asmx?${'x&'.repeat(1001)}` },
      { binding: 'page', status: 500 },
    ],
    ['a fault of the handler', token11('throw'), { status: 500, outcome: 'server_error', error: thrown }],
    ['a client fault', token11('fault'), { status: 500, outcome: 'client_error' }],
    ['a server fault', token11('serverFault'), { status: 500, outcome: 'server_error' }],
    ['the front page', { path: '/' }, { binding: 'page', endpoint: undefined, status: 200, outcome: 'ok' }],
    [
      'a call for a page of another site',
      withHeaders(token11('7'), ['Sec-Fetch-Site', 'cross-site']),
      { binding: 'soap11', operation: 'GetTokenDevice', refusal: 'foreign-page', status: 403 },
    ],
    [
      'a missing parameter',
      get(PUSH, 'GetTokenDevice', 'x=7'),
      { outcome: 'client_error', reason: 'Missing parameter: id.' },
    ],
    [
      'a body that is not a form',
      { ...form(PUSH, 'GetTokenDevice', 'id=7'), headers: [['Content-Type', 'text/plain']] },
      { outcome: 'client_error', reason: 'The body is not a form.' },
    ],
    [
      'an unknown action',
      soap11(PUSH, 'Nothing', envelope11('')),
      { outcome: 'client_error', reason: 'The endpoint has no operation of this action.' },
    ],
    [
      "a media type that is not SOAP's",
      { ...token12('7'), headers: [['Content-Type', 'text/plain']] },
      { status: 415, reason: 'The media type does not match the envelope.' },
    ],
    [
      'an envelope of neither version',
      soap11(PUSH, 'GetTokenDevice', '<e:Envelope xmlns:e="urn:e"/>'),
      { outcome: 'client_error', reason: 'The envelope has neither SOAP version.' },
    ],
    [
      'a document that is not an envelope',
      soap11(PUSH, 'GetTokenDevice', '<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/" />'),
      { outcome: 'client_error', reason: 'The envelope cannot be read.' },
    ],
    [
      'a header block that is not understood',
      soap11(PUSH, 'GetTokenDevice', envelope11('', '<h xmlns="urn:h" soap:mustUnderstand="1" />')),
      { outcome: 'client_error', reason: 'A header block was not understood.' },
    ],
    ['what looks like an attack', { path: `/${PUSH}.asmx/%3C` }, { status: 500, outcome: 'client_error' }],
    ['an unknown operation', soap12(PUSH, '<a/>'), { status: 500, outcome: 'client_error' }],
    ['a message that is not XML', token11('&'), { status: 400, reason: 'The envelope is not well-formed.' }],
    ['another method', { method: 'PUT', path: `/${PUSH}.asmx` }, { method: 'PUT', status: 405 }],
    ['an unknown method', { method: 'FOO', path: `/${PUSH}.asmx` }, { method: 'FOO', status: 405 }],
    ['an unknown path', { path: '/nope' }, { status: 404, outcome: 'client_error' }],
  ])('its binding, operation, status and outcome: %s', async (_what, request, expected) => {
    const exchange = await toldOf(request);
    expect(exchange).toMatchObject(expected);
    const isRefused = exchange?.outcome === 'client_error' && exchange.error === undefined;
    expect(exchange?.reason === undefined && exchange?.refusal === undefined).toBe(!isRefused);
  });

  it('the name of its endpoint, however the path is written', async () => {
    const exchange = await toldOf({ path: '/pushnotificationmobile.ASMX/GetTokenDevice?id=7' });
    expect(exchange?.endpoint).toBe(PUSH);
  });

  it('the fields of the handler, an id of its own and a duration', async () => {
    const begun = performance.now();
    const first = await toldOf(token11('7'));
    expect(first?.fields).toEqual({ found: true, entries: 3 });
    expect(first?.durationMs).toBeGreaterThanOrEqual(0);
    expect(first?.durationMs).toBeLessThanOrEqual(performance.now() - begun);
    exchanges.length = 0;
    const second = await toldOf(token11('7'));
    expect(second?.requestId).not.toBe(first?.requestId);
  });

  it('nothing sent by the caller', async () => {
    const secrets = ['s3cret-id', 's3cret-operation', 's3cret-action', 's3cret-path'];
    const requests: RawRequest[] = [
      token11('s3cret-id'),
      get(PUSH, 's3cret-operation', 'id=s3cret-id'),
      {
        ...token11('7'),
        headers: [
          ['Content-Type', 'text/xml'],
          ['SOAPAction', 's3cret-action'],
        ],
      },
      { path: '/s3cret-path?id=s3cret-id' },
      { path: `/${PUSH}.asmx?op=s3cret-operation` },
    ];
    for (const request of requests) {
      const text = JSON.stringify(await toldOf(request));
      for (const secret of secrets) expect(text).not.toContain(secret);
      exchanges.length = 0;
    }
  });

  it('status 0 if the caller did not wait for the answer', async () => {
    const called = once(events, 'called');
    const connection = await service.connect();
    connection.send(token11('wait'));
    await called;
    connection.reset();
    // The server learns of the end by itself; a second request makes sure that it had its turn.
    const heard = once(events, 'exchange');
    await service.send(token11('7'));
    await heard;
    const ended = once(events, 'exchange');
    release('too late');
    await ended;
    expect(exchanges.map(({ status, reason }) => [status, reason])).toEqual([
      [200, undefined],
      [0, 'The connection ended before the response.'],
    ]);
  });

  it.each([
    ['two lengths', 'POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    ['a head that is too long', `GET / HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
    ['a head that does not end', 'GET / HTTP/1.1\r\nHost: h\r\n', 408],
  ])('its status if it is not HTTP: %s', async (_what, bytes, status) => {
    const heard = once(events, 'exchange');
    const connection = await service.connect();
    connection.write(bytes);
    expect((await connection.readFinal()).status).toBe(status);
    await heard;
    expect(exchanges).toMatchObject([
      { method: '', status, outcome: 'client_error', reason: 'The request is not HTTP.' },
    ]);
    connection.close();
  });

  const GET = `GET /${PUSH}.asmx/GetTokenDevice`;
  const POST = `POST /${PUSH}.asmx HTTP/1.1\r\nHost: h\r\n`;

  it.each([
    ['The query contains raw non-ASCII bytes.', `${GET}?id=\xc5\x9f HTTP/1.1\r\nHost: h\r\n\r\n`],
    ['The query contains raw non-ASCII bytes.', `${GET}?id=\xfe HTTP/1.1\r\nHost: h\r\n\r\n`],
    ['The path contains raw non-ASCII bytes.', `${GET}\xc5\x9f?id=1 HTTP/1.1\r\nHost: h\r\n\r\n`],
    ['A header is folded over two lines.', `${GET}?id=1 HTTP/1.1\r\nHost: h\r\nX: a;\r\n b\r\n\r\n`],
    ['A header is folded over two lines.', `${GET}?id=1 HTTP/1.1\r\nHost: h\r\nX: a;\r\n\tb\r\n\r\n`],
    ['The request has Transfer-Encoding: identity.', `${POST}Transfer-Encoding: identity\r\n\r\nab`],
    [
      'The request has Transfer-Encoding: identity.',
      `${POST}Transfer-Encoding:Identity \r\nContent-Length: 2\r\n\r\nab`,
    ],
    [
      'The request has Transfer-Encoding: identity.',
      `${POST}Content-Length: 2\r\nTransfer-Encoding: identity\r\n\r\nab`,
    ],
    ['The request is not HTTP.', `${GET}?id=\x01 HTTP/1.1\r\nHost: h\r\n\r\n`],
    ['The request is not HTTP.', `${GET}?id=1 HTTP/1.1\r\nHost: h\r\nX : a\r\n\r\n`],
    ['The request is not HTTP.', `${POST}Transfer-Encoding: gzip\r\n\r\nab`],
    ['The request is not HTTP.', `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ])('the reason if it cannot be read, although IIS reads it: %s %j', async (reason, bytes) => {
    const heard = once(events, 'exchange');
    const connection = await service.connect();
    connection.write(Buffer.from(bytes, 'latin1'));
    const received = (await connection.readUntilClosed()).toString('latin1');
    await heard;
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(exchanges).toMatchObject([{ method: '', status: 400, outcome: 'client_error', reason }]);
  });

  it('the reason if its body has an unsupported transfer coding', async () => {
    const connection = await service.connect();
    connection.write(`${POST}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`);
    expect((await connection.readFinal()).status).toBe(501);
    const reason = 'The body has a transfer coding other than chunked.';
    expect(exchanges).toMatchObject([{ method: '', status: 501, outcome: 'client_error', reason }]);
  });

  it('the reason if the second of two pipelined requests cannot be read', async () => {
    const connection = await service.connect();
    const first = `${GET}?id=1 HTTP/1.1\r\nHost: h\r\n\r\n`;
    connection.write(`${first}${POST}Transfer-Encoding: identity\r\n\r\nab`);
    const received = (await connection.readUntilClosed()).toString('latin1');
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(exchanges.map(({ status, reason }) => [status, reason])).toEqual([
      [200, undefined],
      [400, 'The request has Transfer-Encoding: identity.'],
    ]);
  });

  it('status 0 if its body is not HTTP, or does not arrive in time', async () => {
    const head = `POST /${PUSH}.asmx HTTP/1.1\r\nHost: h\r\n`;
    for (const rest of ['Transfer-Encoding: chunked\r\n\r\nzz\r\n', 'Content-Length: 10\r\n\r\n12345']) {
      exchanges.length = 0;
      const connection = await service.connect();
      connection.write(head + rest);
      await connection.readUntilClosed();
      await service.send(token11('7'));
      expect(exchanges).toMatchObject([
        { method: 'POST', status: 0, outcome: 'client_error' },
        { status: 200 },
      ]);
    }
  });

  it('nothing for a connection on which nothing arrives', async () => {
    const connection = await service.connect();
    await connection.readUntilClosed();
    await service.send(token11('7'));
    expect(exchanges).toMatchObject([{ status: 200 }]);
  });
});
