import type { IncomingHttpHeaders } from 'node:http';

import { type EndpointDefinition, OperationFault } from '../../../../src/asmx';
import {
  call,
  chunked,
  envelope12,
  exchange,
  soap12,
  type RawRequest,
  request,
  token11,
  token12,
  withHeaders,
} from '../../../../scripts/harness';
import { REFERENCE_ENDPOINTS } from '../../../reference/endpoints';
import { withToken } from './own-server';
import { startProxy, startOld, useClosing, useCutOver } from './use-reverse-proxy';

const closing = useClosing();
const writeModes = useCutOver();

const FALLBACK = { GetTokenDevice: 'fallback', AuthCode: 'new', SendMarkNotes: 'new' };
const ALL = { ...FALLBACK, GetStudentSchool: 'new', GetExamTableByExamId: 'new', GetStudentsNoteType: 'new' };

interface ProxyOptions {
  readonly endpoints: readonly EndpointDefinition[];
  readonly modes?: object;
}

async function started({ endpoints, modes = FALLBACK }: ProxyOptions) {
  const received: string[] = [];
  const old = closing(
    await startOld((message, response) => {
      const pieces: Buffer[] = [];
      message.on('data', (piece: Buffer) => pieces.push(piece));
      message.on('end', () => {
        received.push(`${message.method ?? ''} ${message.url ?? ''} ${Buffer.concat(pieces).toString()}`);
        response.end('the old one');
      });
    }),
  );
  const cutOverFile = writeModes(modes);
  const proxy = closing(await startProxy({ old: old.port, cutoverFile: cutOverFile, asmx: { endpoints } }));
  return { received, old, proxy, ask: async (sent: RawRequest) => await exchange(proxy.port, sent) };
}

const broken = withToken(() => Promise.reject(new Error('broken')));
const BINDINGS = ['soap11', 'soap12', 'get', 'post'] as const;

describe('a read with fallback that fails with a server fault', () => {
  it.each(BINDINGS)('is answered by the old server, over %s', async (binding) => {
    const { ask, received, proxy } = await started({ endpoints: broken });
    const sent = request(binding, 'PushNotificationMobile', 'GetTokenDevice', { id: 'DEV-1' });
    expect((await ask(sent)).text).toBe('the old one');
    expect(received).toEqual([
      `${binding === 'get' ? 'GET' : 'POST'} ${sent.path} ${String(sent.body ?? '')}`,
    ]);
    expect(proxy.passed).toMatchObject([
      { operation: 'GetTokenDevice', binding, mode: 'fallback', outcome: 'answered' },
    ]);
  });

  it.each([
    ['only the body names it', ALL, token12('DEV-1')],
    ['only the body names it, and not everything is new', FALLBACK, token12('DEV-1')],
    [
      'it comes in chunks',
      FALLBACK,
      {
        ...withHeaders(token11('DEV-1'), ['Transfer-Encoding', 'chunked']),
        body: chunked(String(token11('DEV-1').body)),
      },
    ],
  ])('is answered by the old server if %s', async (_what, modes, sent) => {
    const { ask } = await started({ endpoints: broken, modes });
    expect((await ask(sent)).text).toBe('the old one');
  });

  it('is answered by the new server if its body is too long to keep, or the old server is down', async () => {
    const { ask, old } = await started({ endpoints: broken });
    expect((await ask(token11('a'.repeat(20_000)))).status).toBe(500);
    await old.close();
    const answer = await ask(token11('DEV-1'));
    expect([answer.status, answer.header('Content-Type')]).toEqual([500, 'text/xml; charset=utf-8']);
    expect(answer.text).toContain('<faultcode>soap:Server</faultcode>');
  });

  it('passes its new trace context to the old server', async () => {
    const trace = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` };
    const headersReceived: IncomingHttpHeaders[] = [];
    const old = closing(
      await startOld((message, response) => {
        headersReceived.push(message.headers);
        response.end('the old one');
      }),
    );
    const asmx = { endpoints: broken, trace: () => trace };
    const { port } = closing(await startProxy({ old: old.port, cutoverFile: writeModes(FALLBACK), asmx }));
    const fromCaller = ['traceparent', `00-${'c'.repeat(32)}-${'d'.repeat(16)}-01`] as const;
    await exchange(port, withHeaders(token11('DEV-1'), fromCaller, ['tracestate', 'vendor=1']));
    expect(headersReceived).toMatchObject([trace]);
    expect(headersReceived[0]).not.toHaveProperty('tracestate');
  });

  it('is still reported as a failure', async () => {
    const seen: unknown[] = [];
    const cutOverFile = writeModes(FALLBACK);
    const old = closing(
      await startOld((message, response) => void message.resume().on('end', () => response.end('old'))),
    );
    const observe = ({
      outcome,
      status,
      fields,
    }: {
      outcome: string;
      status: number;
      fields: object;
    }): void => {
      seen.push({ outcome, status, fields });
    };
    const proxy = closing(
      await startProxy({ old: old.port, cutoverFile: cutOverFile, asmx: { endpoints: broken, observe } }),
    );
    await exchange(proxy.port, token11('DEV-1'));
    expect(seen).toEqual([{ outcome: 'server_error', status: 500, fields: { answeredByFallback: true } }]);
  });
});

describe('the old server is not called', () => {
  it.each([
    ['for a read that the new server answers', withToken(() => Promise.resolve('x')), 200],
    [
      'for a read with a client error',
      withToken(() => Promise.reject(new OperationFault('Client', 'wrong'))),
      500,
    ],
  ])('%s', async (_what, endpoints, status) => {
    const { ask, received } = await started({ endpoints });
    expect((await ask(token11('DEV-1'))).status).toBe(status);
    expect(received).toEqual([]);
  });

  it('for a read with mode new', async () => {
    const { ask, received } = await started({ endpoints: broken, modes: { GetTokenDevice: 'new' } });
    expect((await ask(token11('DEV-1'))).status).toBe(500);
    expect(received).toEqual([]);
  });

  it.each(BINDINGS)('for a sending operation, over %s, whatever its result', async (binding) => {
    const endpoints = REFERENCE_ENDPOINTS.map((endpoint) => ({
      ...endpoint,
      handlers: Object.fromEntries(
        Object.keys(endpoint.handlers).map((name) => [name, () => Promise.reject(new Error('broken'))]),
      ),
    }));
    const { ask, received } = await started({ endpoints, modes: ALL });
    const answer = await ask(request(binding, 'AuthCodeSending', 'AuthCode', { code: '1', phone: '2' }));
    expect(answer.status).toBe(500);
    // Where the body alone names what is called, it may have been kept for another operation.
    const unnamed = soap12('AuthCodeSending', envelope12(call('AuthCode', { code: '1', phone: '2' })));
    expect((await ask(unnamed)).status).toBe(500);
    expect(received).toEqual([]);
  });
});
