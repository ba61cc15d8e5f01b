// The wire contract, section 3.4, and the bounds beyond it.

import { startAsmxServer } from '../support/asmx-server';
import {
  fault11,
  fault12,
  formError,
  formTokenIs,
  seen,
  token11Is,
  token12Is,
  type WireAnswer,
} from '../support/asmx-answers';
import {
  call,
  chunked,
  envelope11,
  envelope12,
  form,
  get,
  NAMESPACE,
  type RawConnection,
  type RawRequest,
  soap11,
  soap12,
  SOAP_XML,
  TEXT_XML,
  token11,
  token12,
} from '../../scripts/harness';
import { endpointsWith, handlerOf } from '../support/recording-endpoints';
import { type UsedServer, useReference, useServer } from '../support/use-server';
import type { Bound } from '../../src/asmx';

const ASMX = '/PushNotificationMobile.asmx';
const ACTION: [string, string] = ['SOAPAction', `"${NAMESPACE}GetTokenDevice"`];
const FORM: [string, string] = ['Content-Type', 'application/x-www-form-urlencoded'];
const MEGABYTE = 1024 * 1024;

/** Opens a connection for one test step and closes it whatever happens. */
async function withConnection<T>(
  server: UsedServer,
  use: (connection: RawConnection) => Promise<T>,
): Promise<T> {
  const connection = await server.connect();
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}

describe('a body over its limit', () => {
  const server = useReference({ limits: { bodyBytes: 1000 } });
  const TOO_LONG =
    'There was an exception running the extensions specified in the config file. ---> ' +
    'Maximum request length exceeded.';

  interface Refused {
    readonly headers: readonly [string, string][];
    readonly path: string;
    readonly answer: WireAnswer;
  }

  const REFUSED: readonly Refused[] = [
    { headers: [['Content-Type', TEXT_XML], ACTION], path: ASMX, answer: fault11('Server', TOO_LONG) },
    {
      headers: [['Content-Type', SOAP_XML]],
      path: ASMX,
      answer: fault12(
        'Receiver',
        'Server was unable to process request. ---> Object reference not set to an instance of an object.',
      ),
    },
    {
      headers: [FORM],
      path: `${ASMX}/GetTokenDevice`,
      answer: formError('Maximum request length exceeded.'),
    },
  ];

  /** Expects the answer to a body that is not sent to its end, and the end of the connection. */
  async function expectRefused({ headers, path, answer }: Refused, length: [string, string], body = '') {
    await withConnection(server, async (connection) => {
      const all: [string, string][] = [...headers, length, ['Connection', 'keep-alive']];
      connection.send({ method: 'POST', path, headers: all, body });
      const response = await connection.readFinal();
      expect(seen(response)).toEqual(answer);
      expect(response.header('Connection')).toBe('close');
      expect(await connection.readUntilClosed()).toHaveLength(0);
    });
  }

  it('is refused by its Content-Length before it is sent, over SOAP and HTTP POST', async () => {
    await Promise.all(REFUSED.map((refused) => expectRefused(refused, ['Content-Length', '1001'])));
  });

  it('is refused while its chunks arrive, before the last of them, over SOAP and HTTP POST', async () => {
    const chunk = `3e9\r\n${'x'.repeat(1001)}\r\n`;
    await Promise.all(
      REFUSED.map((refused) => expectRefused(refused, ['Transfer-Encoding', 'chunked'], chunk)),
    );
  });

  it('names the reason under version 1.2, where the action names the operation', async () => {
    const contentType = `${SOAP_XML}; action="${NAMESPACE}GetTokenDevice"`;
    const answer = fault12('Receiver', TOO_LONG);
    await expectRefused({ headers: [['Content-Type', contentType]], path: ASMX, answer }, [
      'Content-Length',
      '1001',
    ]);
  });

  it('is refused without 100 Continue where the caller asks first', async () => {
    await withConnection(server, async (connection) => {
      connection.send({
        method: 'POST',
        path: ASMX,
        headers: [['Content-Type', TEXT_XML], ACTION, ['Expect', '100-continue'], ['Content-Length', '1001']],
      });
      expect((await connection.read()).status).toBe(500);
    });
  });

  it('is taken at its limit', async () => {
    const pad = 1000 - Buffer.byteLength(String(token11('').body));
    const request = token11('x'.repeat(pad));
    expect(Buffer.byteLength(String(request.body))).toBe(1000);
    expect(await server.ask(request)).toEqual(token11Is(`TOKEN-${'x'.repeat(pad)}`));
    const parts = chunked('id=', 'y'.repeat(997));
    expect(
      await server.ask({
        ...form('PushNotificationMobile', 'GetTokenDevice', parts),
        headers: [FORM, ['Transfer-Encoding', 'chunked']],
      }),
    ).toEqual(formTokenIs(`TOKEN-${'y'.repeat(997)}`));
  });

  it('does not end the service', async () => {
    expect(await server.ask(token12('7'))).toEqual(token12Is('TOKEN-7'));
  });
});

describe('a Content-Type over its limit', () => {
  const server = useReference();
  const typed = (request: RawRequest, length: number): RawRequest => ({
    ...request,
    headers: (request.headers ?? []).map(([name, value]) => [
      name,
      name === 'Content-Type' ? `${value};x=`.padEnd(length, 'y') : value,
    ]),
  });
  const REQUESTS = [token11('7'), token12('7'), form('PushNotificationMobile', 'GetTokenDevice', 'id=7')];

  it('is refused with a page, and 1,024 characters are not', async () => {
    for (const request of REQUESTS) {
      expect((await server.send(typed(request, 1024))).status).toBe(200);
      const refused = await server.send(typed(request, 1025));
      expect(refused.status).toBe(400);
      expect(refused.header('Content-Type')).toBe('text/html; charset=utf-8');
      expect(refused.text).toContain(
        'The length of the Content-Type header of this request exceeds the limit.',
      );
      expect(refused.text).not.toContain('yyy');
    }
  });
});

describe('bodies over 64 KB', () => {
  const bounds: Bound[] = [];
  let brokenOff = 0;
  let onBrokenOff: () => void = () => undefined;
  const server = useReference({
    limits: { largeBodies: 2 },
    onBound: (bound) => bounds.push(bound),
    observe: ({ status }) => {
      if (status === 0) brokenOff += 1;
      onBrokenOff();
    },
  });
  const LARGE = 64 * 1024 + 1;

  function padded(length: number): RawRequest {
    const request = token11('7');
    return { ...request, body: `${String(request.body)}<!--${'x'.repeat(length)}-->` };
  }

  /** Requests whose body has begun, and does not end. */
  function begun(headers: [string, string][], length = LARGE, path = ASMX): RawRequest {
    return { method: 'POST', path, headers: [...headers, ['Content-Length', String(length)]], body: 'x' };
  }
  const begun11 = (length = LARGE): RawRequest => begun([['Content-Type', TEXT_XML], ACTION], length);

  async function hold(requests: readonly RawRequest[]): Promise<RawConnection[]> {
    const held: RawConnection[] = [];
    for (const request of requests) {
      const connection = await server.connect();
      connection.send({ ...request, headers: [...(request.headers ?? []), ['Expect', '100-continue']] });
      held.push(connection);
      expect((await connection.read()).status).toBe(100);
    }
    return held;
  }

  /** Breaks off what is held, and waits until the service has seen it. */
  async function breakOff(held: readonly RawConnection[]): Promise<void> {
    const expected = brokenOff + held.length;
    for (const connection of held) connection.close();
    while (brokenOff < expected) await new Promise<void>((resolve) => (onBrokenOff = resolve));
  }

  it.each<[string, RawRequest, string, string]>([
    ['SOAP 1.1', begun11(), TEXT_XML, ''],
    ['SOAP 1.2', begun([['Content-Type', SOAP_XML]]), SOAP_XML, ''],
    [
      'HTTP POST',
      begun([FORM], LARGE, `${ASMX}/GetTokenDevice`),
      'text/plain; charset=utf-8',
      'Server Too Busy\r\n',
    ],
  ])('are refused over %s where there are as many as there may be', async (_what, request, type, text) => {
    const held = await hold([begun11(), begun11()]);
    bounds.length = 0;
    for (const expecting of [false, true]) {
      await withConnection(server, async (connection) => {
        const expectation: [string, string][] = expecting ? [['Expect', '100-continue']] : [];
        connection.send({ ...request, body: '', headers: [...(request.headers ?? []), ...expectation] });
        const answer = await connection.read();
        expect([answer.status, answer.header('Content-Type'), answer.text]).toEqual([503, type, text]);
        expect(answer.header('Retry-After')).toBe('5');
        expect(answer.header('Connection')).toBe('close');
        expect(await connection.readUntilClosed()).toHaveLength(0);
      });
    }
    expect(bounds).toEqual(['bodies', 'bodies']);
    // Others are read as ever.
    expect(await server.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
    expect(await server.ask(padded(60_000))).toEqual(token11Is('TOKEN-7'));
    await breakOff(held);
  });

  it('are refused when their chunks show it', async () => {
    const held = await hold([begun11(), begun11()]);
    await withConnection(server, async (connection) => {
      connection.send({
        method: 'POST',
        path: ASMX,
        headers: [
          ['Content-Type', TEXT_XML],
          ACTION,
          ['Transfer-Encoding', 'chunked'],
          ['Connection', 'keep-alive'],
        ],
        body: `10000\r\n${'x'.repeat(0x10000)}\r\n`,
      });
      connection.write('1\r\nx\r\n');
      expect((await connection.readFinal()).status).toBe(503);
      expect(await connection.readUntilClosed()).toHaveLength(0);
    });
    await breakOff(held);
  });

  it('leave their place when they are answered, refused or broken off', async () => {
    const large = padded(LARGE);
    for (let round = 0; round < 5; round += 1) {
      expect(await server.ask(large)).toEqual(token11Is('TOKEN-7'));
      expect((await server.send({ ...large, path: `${ASMX}/GetTokenDevice` })).status).toBe(500);
      await breakOff(await hold([begun11(), begun11()]));
    }
    const held = await hold([begun11(), begun11()]);
    await breakOff(held);
  });
});

describe('without a setting', () => {
  const server = useReference();

  it('a body of 4 MB is read', async () => {
    const overhead = Buffer.byteLength(String(token11('').body));
    const id = 'x'.repeat(4 * MEGABYTE - overhead);
    const { status, body } = await server.ask(token11(id));
    expect(status).toBe(200);
    expect(body).toContain(`TOKEN-${id.slice(0, 100)}`);
  });

  it('a body of one byte more is not', async () => {
    await withConnection(server, async (connection) => {
      connection.send({
        method: 'POST',
        path: ASMX,
        headers: [['Content-Type', TEXT_XML], ACTION, ['Content-Length', String(4 * MEGABYTE + 1)]],
      });
      expect((await connection.readFinal()).text).toContain('Maximum request length exceeded.');
    });
  });

  const UNREADABLE = 'Server was unable to read request. ---> ';
  const TOO_DEEP = 'The request is nested deeper than 64 elements.';
  const TOO_WIDE = 'The request has an element with more than 128 attributes.';
  const TOO_MANY = 'The request has more than 100000 elements.';
  const TOO_LONG = 'The request has a name of more than 256 characters.';

  it.each([
    ['64 levels', () => nested(64 - 3)],
    ['128 attributes on one element', () => `<a ${attributes(128)}/>`],
    ['100,000 elements', () => '<a/>'.repeat(100_000 - 4)],
    ['names of 256 characters', () => `<${'a'.repeat(256)} ${'b'.repeat(256)}=""/>`],
    [
      'names of 256 characters with their prefixes',
      () => `<p:${'a'.repeat(254)} xmlns:p="" p:${'b'.repeat(254)}=""/>`.replace('""', '"urn:p"'),
    ],
  ])('a message may have %s', async (_what, make) => {
    // The parameter comes last, so that all the rest has been read before.
    const inside = `<GetTokenDevice xmlns="${NAMESPACE}">${make()}<id>7</id></GetTokenDevice>`;
    const answer = await server.ask(soap11('PushNotificationMobile', 'GetTokenDevice', envelope11(inside)));
    expect(answer).toEqual(token11Is('TOKEN-7'));
  });

  it.each([
    ['65 levels', () => nested(65 - 3), TOO_DEEP],
    ['100,000 levels', () => nested(100_000), TOO_DEEP],
    ['100,000 levels that never close', () => '<a>'.repeat(100_000), TOO_DEEP],
    ['129 attributes on one element', () => `<a ${attributes(129)}/>`, TOO_WIDE],
    ['10,000 attributes on one element', () => `<a ${attributes(10_000)}/>`, TOO_WIDE],
    ['100,001 elements', () => '<a/>'.repeat(100_001 - 4), TOO_MANY],
    ['an element’s name of 257 characters', () => `<${'a'.repeat(257)}/>`, TOO_LONG],
    ['one with its prefix', () => `<p:${'a'.repeat(255)} xmlns:p="urn:p"/>`, TOO_LONG],
    ['an attribute’s name of 257 characters', () => `<a ${'b'.repeat(257)}=""/>`, TOO_LONG],
    ['one with its prefix', () => `<a xmlns:p="urn:p" p:${'b'.repeat(255)}=""/>`, TOO_LONG],
    ['a prefix of 251 characters', () => `<a xmlns:${'p'.repeat(251)}="urn:p"/>`, TOO_LONG],
  ])('a message may not have %s', async (_what, make, text) => {
    const inside = `<GetTokenDevice xmlns="${NAMESPACE}">${make()}<id>7</id></GetTokenDevice>`;
    expect(await server.ask(soap11('PushNotificationMobile', 'GetTokenDevice', envelope11(inside)))).toEqual(
      fault11('Client', UNREADABLE + text),
    );
    expect(await server.ask(soap12('PushNotificationMobile', envelope12(inside)))).toEqual(
      fault12('Sender', UNREADABLE + text),
    );
    expect(await server.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
  });

  it.each([
    ['levels', () => nested(100_000), TOO_DEEP],
    ['attributes', () => `<a ${attributes(10_000)}/>`, TOO_WIDE],
    ['elements', () => '<a/>'.repeat(100_001), TOO_MANY],
  ])('too many %s are the same in the Header, before the operation is known', async (_what, make, text) => {
    const hidden = envelope12(call('GetTokenDevice', { id: '7' }), make());
    expect(await server.ask(soap12('PushNotificationMobile', hidden))).toEqual(
      fault12('Sender', UNREADABLE + text),
    );
  });

  it.each([
    ['2,048 characters', `id=${'x'.repeat(2045)}`, 200],
    ['2,049 characters', `id=${'x'.repeat(2046)}`, 400],
    ['2,049 characters once decoded only', `id=${'%41'.repeat(682)}`, 400],
    ['100 KB', `id=${'x'.repeat(12_000)}`, 400],
  ])('a query has at most 2,048 characters: %s', async (_what, query, status) => {
    const response = await server.send(get('PushNotificationMobile', 'GetTokenDevice', query));
    expect(response.status).toBe(status);
    if (status === 400) expect(response.header('Content-Type')).toMatch(/^text\/html\b/);
  });

  it('has the same bound on every path', async () => {
    const long = 'x'.repeat(2049);
    expect((await server.send({ path: `${ASMX}?${long}` })).status).toBe(400);
    expect((await server.send({ ...token11('7'), path: `${ASMX}?${long}` })).status).toBe(400);
  });

  it.each([
    ['260 characters', 260, 500],
    ['261 characters', 261, 400],
    ['2,000 characters', 2000, 400],
  ])('a path has at most 260 characters: %s', async (_what, length, status) => {
    const path = `${ASMX}/`.padEnd(length, 'x');
    const response = await server.send({ path });
    expect(response.status).toBe(status);
    expect(response.header('Content-Type')).toMatch(status === 400 ? /^text\/html\b/ : /^text\/plain\b/);
  });

  function nested(levels: number): string {
    return '<a>'.repeat(levels) + '</a>'.repeat(levels);
  }

  function attributes(count: number): string {
    return Array.from({ length: count }, (_, index) => `a${String(index)}=""`).join(' ');
  }
});

describe('limits of ones own', () => {
  const server = useReference({
    limits: { xmlDepth: 5, xmlAttributes: 2, xmlElements: 6, queryCharacters: 10, pathCharacters: 50 },
  });

  function ask(inside: string) {
    const body =
      `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>` +
      `<GetTokenDevice xmlns="${NAMESPACE}">${inside}</GetTokenDevice></e:Body></e:Envelope>`;
    return server.ask(soap11('PushNotificationMobile', 'GetTokenDevice', body));
  }

  it.each([
    ['5 levels', '<id>7</id><a><b/></a>', 200],
    ['6 levels', '<a><b><c/></b></a>', 500],
    ['2 attributes', '<id a="" b="">7</id>', 200],
    ['3 attributes', '<id a="" b="" c="">7</id>', 500],
    ['3 attributes, with a namespace declaration', '<id a="" b="" xmlns:c="urn:c">7</id>', 500],
    ['6 elements', '<id>7</id><a/><a/>', 200],
    ['7 elements', '<id>7</id><a/><a/><a/>', 500],
  ])('hold: %s', async (_what, inside, status) => {
    expect((await ask(inside)).status).toBe(status);
  });

  it('hold for the query and the path', async () => {
    expect((await server.send({ path: `${ASMX}?wsdl&x=123` })).status).toBe(200);
    expect((await server.send({ path: `${ASMX}?wsdl&x=1234` })).status).toBe(400);
    expect((await server.send({ path: `${ASMX}/`.padEnd(50, 'x') })).status).toBe(500);
    expect((await server.send({ path: `${ASMX}/`.padEnd(51, 'x') })).status).toBe(400);
  });
});

describe('56 A handler that does not settle', () => {
  let release: (token: string) => void = () => undefined;
  const server = useServer(() =>
    startAsmxServer({
      limits: { handlerMilliseconds: 50 },
      endpoints: endpointsWith((operation) =>
        operation === 'GetTokenDevice'
          ? ({ id }) =>
              id === 'wait'
                ? new Promise((resolve) => (release = resolve))
                : Promise.resolve(`TOKEN-${String(id)}`)
          : handlerOf(() => undefined),
      ),
    }),
  );

  it.each<[string, RawRequest, RegExp]>([
    ['SOAP 1.1', token11('wait'), /<faultcode>soap:Server<\/faultcode><faultstring>\S[^<]+<\/faultstring>/],
    ['SOAP 1.2', token12('wait'), /<soap:Value>soap:Receiver<\/soap:Value>/],
    ['HTTP GET', get('PushNotificationMobile', 'GetTokenDevice', 'id=wait'), /^\S.+\r\n$/],
    ['HTTP POST', form('PushNotificationMobile', 'GetTokenDevice', 'id=wait'), /^\S.+\r\n$/],
  ])('is answered for with a fault of the server, over %s', async (_what, request, body) => {
    const response = await server.send(request);
    expect(response.status).toBe(500);
    expect(response.text).toMatch(body);
    release('too late');
    expect(await server.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
  });
});
