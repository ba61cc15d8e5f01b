// Beyond the wire contract: requests as Application Request Routing 3 forwards them. Headers are those of its pages Proxy
// (dd443526) and Application Request Routing (dd443533) at Microsoft; connections are those of WinHTTP, which it uses.

import { startAsmxServer } from '../harness/asmx-server';
import { endpointsWith, handlerOf } from '../harness/recording-endpoints';
import {
  chunked,
  form,
  get,
  type Header,
  headOf,
  type RawRequest,
  token11,
  token12,
  withHeaders,
} from '../../scripts/harness';
import { useServer } from '../harness/use-server';

const ARR: readonly Header[] = [
  ['Connection', 'Keep-Alive'],
  ['Max-Forwards', '10'],
  ['X-Original-URL', '/PushNotificationMobile.asmx'],
  ['X-Forwarded-For', '192.0.2.1:51234'],
  ['X-ARR-SSL', '2048|256|C=TR, O=Example CA, CN=Example CA|CN=school.example'],
  ['X-ARR-LOG-ID', '0f2c7a1e-7a0d-4a55-9d0c-5b1ae4f4a7b2'],
];
const behindArr = (request: RawRequest): RawRequest => withHeaders(request, ...ARR);
const CODE = form('AuthCodeSending', 'AuthCode', 'code=123456&phone=5321112233');

let codes: string[] = [];
let held: (() => void) | undefined;
let onHeld: () => void = () => undefined;
beforeEach(() => {
  codes = [];
  held = undefined;
});

const endpoints = endpointsWith((operation) => {
  if (operation === 'AuthCode') return handlerOf(({ code }) => void codes.push(String(code)));
  return ({ id }) =>
    id === 'wait'
      ? new Promise((resolve) => {
          held = () => {
            resolve('TOKEN-late');
          };
          onHeld();
        })
      : Promise.resolve(`TOKEN-${String(id)}`);
});
const trustProxy = ['127.0.0.1'];

describe('behind Application Request Routing', () => {
  const server = useServer(() => startAsmxServer({ endpoints, trustProxy }));

  it('all bindings are answered over one kept connection', async () => {
    const connection = await server.connect();
    for (const request of [
      token11('7'),
      token12('7'),
      get('PushNotificationMobile', 'GetTokenDevice', 'id=7'),
      form('PushNotificationMobile', 'GetTokenDevice', 'id=7'),
    ]) {
      connection.send(behindArr(request));
      const response = await connection.read();
      expect([response.status, response.header('Keep-Alive')]).toEqual([200, 'timeout=72']);
      expect(response.text).toContain('TOKEN-7');
    }
  });

  it('a body whose length the caller did not announce comes in chunks', async () => {
    const { body, ...rest } = CODE;
    const response = await server.send({
      ...behindArr(rest),
      method: 'POST',
      headers: [...(rest.headers ?? []), ['Transfer-Encoding', 'chunked']],
      body: chunked(String(body).slice(0, 9), String(body).slice(9)),
    });
    expect([response.status, codes]).toEqual([200, ['123456']]);
  });

  it('a caller that leaves within its body sends no code, and the next one is answered', async () => {
    const connection = await server.connect();
    connection.send(headOf(behindArr(CODE), ['Content-Length', '500']));
    connection.write(String(CODE.body));
    connection.reset();
    expect((await server.send(behindArr(CODE))).status).toBe(200);
    expect(codes).toEqual(['123456']);
  });

  it('an answer after the time-out of the proxy harms no later request', async () => {
    const connection = await server.connect();
    const isHeld = new Promise<void>((resolve) => (onHeld = resolve));
    connection.send(behindArr(token11('wait')));
    await isHeld;
    // ARR answers 502.3, and closes its connection.
    connection.reset();
    held?.();
    expect((await server.send(behindArr(token11('7')))).text).toContain('TOKEN-7');
  });
});

describe('an idle connection of Application Request Routing', () => {
  const server = useServer(() => startAsmxServer({ endpoints, trustProxy, timeouts: { keepAliveMs: 1 } }));

  it('is closed without another byte, so that no later request meets an answer to none', async () => {
    const connection = await server.connect();
    connection.send(behindArr(token11('7')));
    expect((await connection.read()).status).toBe(200);
    expect(await connection.readUntilClosed()).toHaveLength(0);
  });
});
