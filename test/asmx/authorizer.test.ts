// Nothing of the wire contract: a gate that decides who may call what.

import type { AccessDecision, AttemptedCall, Refusal } from '../../src/asmx/internal';
import type { Exchange } from '../../src/asmx';
import {
  call,
  envelope11,
  envelope12,
  form,
  get,
  type RawRequest,
  SOAP_XML,
  soap11,
  soap12,
  TEXT_XML,
  token11,
  token12,
} from '../../scripts/harness';
import { fault11, fault12, seen } from '../harness/asmx-answers';
import { startAsmxServer } from '../harness/asmx-server';
import { endpointsWith, handlerOf } from '../harness/recording-endpoints';
import { useServer } from '../harness/use-server';

const PUSH = 'PushNotificationMobile';
const REFUSAL: Refusal = {
  status: 401,
  headers: ['WWW-Authenticate', 'Basic realm="here"'],
  message: 'Not without <credentials>.',
  reason: 'no-credentials',
  caller: 'somebody',
};

let verdict: (call: AttemptedCall) => AccessDecision | Promise<AccessDecision>;
let judge: (operation: string, binding: string, args: object) => Refusal | undefined;
const admitted = (): AccessDecision => ({ caller: 'portal', authorize: (...all) => judge(...all) });

const attempts: AttemptedCall[] = [];
const called: (string | undefined)[] = [];
const exchanges: Exchange[] = [];
const service = useServer(() =>
  startAsmxServer({
    endpoints: endpointsWith((operation) =>
      handlerOf((_args, { caller }) => {
        called.push(caller);
        return operation === 'GetTokenDevice' ? 'token' : undefined;
      }),
    ),
    authorizer: {
      admit: (_request, attempt) => {
        attempts.push(attempt);
        return verdict(attempt);
      },
    },
    observe: (exchange) => {
      exchanges.push(exchange);
    },
  }),
);

beforeEach(() => {
  verdict = admitted;
  judge = () => undefined;
  attempts.length = 0;
  called.length = 0;
  exchanges.length = 0;
});

const CALLS: readonly (readonly [string, RawRequest, AttemptedCall])[] = [
  ['SOAP 1.1', token11('7'), { operation: 'GetTokenDevice', bindings: ['soap11', 'soap12'] }],
  ['SOAP 1.2 without an action', token12('7'), { operation: undefined, bindings: ['soap12'] }],
  [
    'SOAP 1.2 with an action',
    soap12(
      PUSH,
      envelope12(call('GetTokenDevice', { id: '7' })),
      '; action="http://tempuri.org/GetTokenDevice"',
    ),
    { operation: 'GetTokenDevice', bindings: ['soap12'] },
  ],
  [
    'SOAP without SOAPAction',
    { ...token11('7'), headers: [['Content-Type', TEXT_XML]] },
    { operation: undefined, bindings: ['soap12', 'soap11'] },
  ],
  [
    'SOAP of an unknown action',
    soap11(PUSH, 'Nope', envelope11('')),
    { operation: undefined, bindings: ['soap11', 'soap12'] },
  ],
  ['GET', get(PUSH, 'GetTokenDevice', 'id=7'), { operation: 'GetTokenDevice', bindings: ['get'] }],
  ['POST', form(PUSH, 'GetTokenDevice', 'id=7'), { operation: 'GetTokenDevice', bindings: ['post'] }],
];

describe('the authorizer', () => {
  it.each(CALLS)('receives what the request head says about a call: %s', async (_what, request, attempt) => {
    const { status, text } = await service.send(request);
    // The answer says why, where the gate was not asked.
    const answer = { status, text };
    expect({ attempts, answer }).toEqual({ attempts: [attempt], answer });
  });

  it('passes the admitted caller to operations, observer and argument check', async () => {
    const judged: unknown[] = [];
    judge = (...all) => void judged.push(all);
    expect((await service.send(token11('7'))).status).toBe(200);
    expect(called).toEqual(['portal']);
    expect(exchanges[0]).toMatchObject({ caller: 'portal', refusal: undefined, outcome: 'ok' });
    expect(judged).toEqual([['GetTokenDevice', 'soap11', { id: '7' }]]);
  });

  it('may answer asynchronously', async () => {
    verdict = () => new Promise((resolve) => setImmediate(resolve, admitted()));
    expect((await service.send(token11('7'))).status).toBe(200);
    expect((await service.send(form(PUSH, 'GetTokenDevice', 'id=7'))).status).toBe(200);
  });

  it('runs no operation if it answers after the caller has gone', async () => {
    const asked = new Promise<(late: AccessDecision) => void>((resolve) => {
      verdict = () => new Promise(resolve);
    });
    const connection = await service.connect();
    connection.send(get(PUSH, 'GetTokenDevice', 'id=7'));
    const admit = await asked;
    connection.reset();
    // The server learns of the end by itself; another request makes sure that it had its turn.
    verdict = admitted;
    await service.send(token11('7'));
    admit(admitted());
    await service.send(token11('7'));
    expect(called).toEqual(['portal', 'portal']);
    expect(exchanges.map(({ status }) => status)).toEqual([200, 0, 200]);
  });

  it('causes a server error if it fails', async () => {
    verdict = () => Promise.reject(new Error('broken'));
    const answer = await service.send(get(PUSH, 'GetTokenDevice', 'id=7'));
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain('broken');
    expect(exchanges[0]?.outcome).toBe('server_error');
  });

  it.each([
    { path: `/${PUSH}.asmx` },
    { path: `/${PUSH}.asmx?WSDL` },
    { path: '/' },
    get(PUSH, 'Nope'),
    { method: 'PUT', path: `/${PUSH}.asmx/GetTokenDevice` },
  ])('is not called for requests that are not calls: %j', async (request) => {
    await service.send(request);
    expect(attempts).toEqual([]);
  });
});

describe('a call that the authorizer refuses', () => {
  const faults = {
    soap11: { ...fault11('Client', REFUSAL.message), status: 401 },
    soap12: { ...fault12('Sender', REFUSAL.message), status: 401 },
  };

  it.each([
    [token11('7'), faults.soap11],
    [token12('7'), faults.soap12],
  ])('gets a caller fault over SOAP and runs no operation', async (request, expected) => {
    verdict = () => REFUSAL;
    const answer = await service.send(request);
    expect(seen(answer)).toEqual(expected);
    expect(answer.header('WWW-Authenticate')).toBe('Basic realm="here"');
    expect(called).toEqual([]);
    expect(exchanges[0]).toMatchObject({
      refusal: 'no-credentials',
      caller: 'somebody',
      outcome: 'client_error',
      status: 401,
    });
  });

  it.each([get(PUSH, 'GetTokenDevice', 'id=7'), form(PUSH, 'GetTokenDevice', 'id=7')])(
    'gets a page over GET and POST: %j',
    async (request) => {
      verdict = () => Promise.resolve(REFUSAL);
      const answer = await service.send(request);
      expect(answer.status).toBe(401);
      expect(answer.header('Content-Type')).toBe('text/html; charset=utf-8');
      expect(answer.header('WWW-Authenticate')).toBe('Basic realm="here"');
      expect(answer.text).toContain('Not without &lt;credentials&gt;.');
      expect(called).toEqual([]);
    },
  );

  it('keeps the connection open unless a body would have to be read', async () => {
    verdict = () => REFUSAL;
    const endOf = async (request: RawRequest) =>
      (await service.send({ ...request, keepAlive: true })).header('Connection');
    expect(await endOf(get(PUSH, 'GetTokenDevice', 'id=7'))).toBe('keep-alive');
    for (const request of [form(PUSH, 'GetTokenDevice', 'id=7'), token11('7')])
      expect(await endOf(request)).toBe('close');
  });

  it.each([TEXT_XML, SOAP_XML])('is answered before the body is sent (%s)', async (type) => {
    verdict = () => REFUSAL;
    const connection = await service.connect();
    connection.send({
      method: 'POST',
      path: `/${PUSH}.asmx`,
      headers: [
        ['Content-Type', type],
        ['SOAPAction', '"http://tempuri.org/GetTokenDevice"'],
        ['Content-Length', '1000'],
      ],
    });
    expect((await connection.read()).status).toBe(401);
    connection.close();
  });

  it.each(CALLS.filter(([, , { operation }]) => operation !== undefined))(
    'gets the same answer if refused for its arguments: %s',
    async (_what, request, attempt) => {
      judge = () => ({ ...REFUSAL, status: 403, headers: [] });
      const answer = await service.send(request);
      expect(answer.status).toBe(403);
      expect(called).toEqual([]);
      expect(exchanges[0]).toMatchObject({
        operation: 'GetTokenDevice',
        binding: attempt.bindings[0],
        refusal: 'no-credentials',
      });
    },
  );

  it('is refused after reading the body if only the body identifies the call', async () => {
    judge = (operation, binding) => (binding === 'soap12' ? { ...REFUSAL, message: operation } : undefined);
    const headers = [
      ['Content-Type', TEXT_XML],
      ['SOAPAction', '"http://tempuri.org/GetTokenDevice"'],
    ] as const;
    const body = envelope12(call('GetTokenDevice', { id: '7' }));
    const answer = await service.send({ path: `/${PUSH}.asmx`, headers, body });
    expect(seen(answer)).toEqual({ ...fault12('Sender', 'GetTokenDevice'), status: 401 });
    expect((await service.send(token11('7'))).status).toBe(200);
  });
});
