// The wire contract, section 3.4, and the bounds beyond it: how long bodies may be, each and all together.

import {
  fault11,
  fault12,
  formError,
  formTokenIs,
  seen,
  token11Is,
  token12Is,
  type WireAnswer,
} from '../harness/asmx-answers';
import {
  chunked,
  form,
  type Header,
  headOf,
  NAMESPACE,
  type RawConnection,
  type RawRequest,
  SOAP_XML,
  TEXT_XML,
  token11,
  token12,
  withHeaders,
} from '../../scripts/harness';
import { useReference } from '../harness/use-server';
import type { Bound } from '../../src/asmx/internal';

const FORM = form('PushNotificationMobile', 'GetTokenDevice', '');
const CHUNKED: Header = ['Transfer-Encoding', 'chunked'];
const EXPECT: Header = ['Expect', '100-continue'];
const impatient = useReference({ limits: { bodyBytes: 1000 }, timeouts: { headersMs: 100, requestMs: 200 } });
const length = (bytes: number): Header => ['Content-Length', String(bytes)];

it('a refused body that goes on until the time limit gets no second answer', async () => {
  const connection = await impatient.connect();
  connection.send({
    ...headOf(FORM, CHUNKED),
    body: chunked('x'.repeat(2000)).replace(/0\r\n\r\n$/, ''),
    keepAlive: true,
  });
  const response = await connection.readFinal();
  expect(seen(response)).toEqual(formError('Maximum request length exceeded.'));
  expect(String(await connection.readUntilClosed())).toBe('');
});

describe('a body over its limit', () => {
  const server = useReference({ limits: { bodyBytes: 1000 } });
  const TOO_LONG =
    'There was an exception running the extensions specified in the config file. ---> ' +
    'Maximum request length exceeded.';

  const REFUSED: readonly (readonly [request: RawRequest, answer: WireAnswer])[] = [
    [token11(''), fault11('Server', TOO_LONG)],
    [
      token12(''),
      fault12(
        'Receiver',
        'Server was unable to process request. ---> Object reference not set to an instance of an object.',
      ),
    ],
    [FORM, formError('Maximum request length exceeded.')],
  ];

  /** Expects the answer to a body that is not sent to its end. */
  async function expectRefused(request: RawRequest, answer: WireAnswer, framing: Header, body = '') {
    const connection = await server.connect();
    connection.send({ ...headOf(request, framing), body, keepAlive: true });
    const response = await connection.readFinal();
    expect(seen(response)).toEqual(answer);
    expect(response.header('Connection')).toBe('close');
  }

  it('is rejected by its Content-Length before it is sent, over SOAP and HTTP POST', async () => {
    await Promise.all(REFUSED.map(([request, answer]) => expectRefused(request, answer, length(1001))));
  });

  it('is rejected while its chunks arrive, before the last one, over SOAP and HTTP POST', async () => {
    const chunk = `3e9\r\n${'x'.repeat(1001)}\r\n`;
    await Promise.all(REFUSED.map(([request, answer]) => expectRefused(request, answer, CHUNKED, chunk)));
  });

  it('gets the reason under version 1.2 if the action names the operation', async () => {
    const request = token12('', `; action="${NAMESPACE}GetTokenDevice"`);
    await expectRefused(request, fault12('Receiver', TOO_LONG), length(1001));
  });

  it('is rejected without 100 Continue if the caller asks first', async () => {
    const connection = await server.connect();
    connection.send(headOf(token11(''), EXPECT, length(1001)));
    expect((await connection.read()).status).toBe(500);
  });

  it('is accepted at exactly the limit', async () => {
    const pad = 1000 - Buffer.byteLength(String(token11('').body));
    const request = token11('x'.repeat(pad));
    expect(Buffer.byteLength(String(request.body))).toBe(1000);
    expect(await server.ask(request)).toEqual(token11Is(`TOKEN-${'x'.repeat(pad)}`));
    const parts = chunked('id=', 'y'.repeat(997));
    expect(await server.ask(withHeaders({ ...FORM, body: parts }, CHUNKED))).toEqual(
      formTokenIs(`TOKEN-${'y'.repeat(997)}`),
    );
  });

  it('does not stop the service', async () => {
    expect(await server.ask(token12('7'))).toEqual(token12Is('TOKEN-7'));
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
  const begun = (request: RawRequest): RawRequest => ({ ...headOf(request, length(LARGE)), body: 'x' });
  const BEGUN = begun(token11(''));

  async function hold(requests: readonly RawRequest[]): Promise<RawConnection[]> {
    const held: RawConnection[] = [];
    for (const request of requests) {
      const connection = await server.connect();
      connection.send(withHeaders(request, EXPECT));
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
    ['SOAP 1.1', BEGUN, TEXT_XML, ''],
    ['SOAP 1.2', begun(token12('')), SOAP_XML, ''],
    ['HTTP POST', begun(FORM), 'text/plain; charset=utf-8', 'Server Too Busy\r\n'],
  ])('are rejected over %s when all places are taken', async (_what, request, type, text) => {
    const held = await hold([BEGUN, BEGUN]);
    bounds.length = 0;
    for (const expecting of [false, true]) {
      const connection = await server.connect();
      connection.send(headOf(request, ...(expecting ? [EXPECT] : [])));
      const answer = await connection.read();
      expect([answer.status, answer.header('Content-Type'), answer.text]).toEqual([503, type, text]);
      expect(answer.header('Retry-After')).toBe('5');
      expect(answer.header('Connection')).toBe('close');
      connection.write('x'.repeat(LARGE));
      expect(await connection.readUntilClosed()).toHaveLength(0);
    }
    expect(bounds).toEqual(['bodies', 'bodies']);
    // Others are read as ever.
    expect(await server.ask(token11('7'))).toEqual(token11Is('TOKEN-7'));
    expect(await server.ask(padded(60_000))).toEqual(token11Is('TOKEN-7'));
    await breakOff(held);
  });

  it('are rejected as soon as their chunks exceed that size', async () => {
    const held = await hold([BEGUN, BEGUN]);
    const connection = await server.connect();
    const body = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    connection.send({ ...headOf(token11(''), CHUNKED), body, keepAlive: true });
    connection.write('1\r\nx\r\n');
    expect((await connection.readFinal()).status).toBe(503);
    connection.write('0\r\n\r\n');
    expect(await connection.readUntilClosed()).toHaveLength(0);
    await breakOff(held);
  });

  it('release their place when answered, rejected or aborted', async () => {
    const large = padded(LARGE);
    for (let round = 0; round < 5; round += 1) {
      expect(await server.ask(large)).toEqual(token11Is('TOKEN-7'));
      expect((await server.send({ ...large, path: FORM.path })).status).toBe(500);
      await breakOff(await hold([BEGUN, BEGUN]));
    }
    const held = await hold([BEGUN, BEGUN]);
    await breakOff(held);
  });
});
