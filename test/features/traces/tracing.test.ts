import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';

import type { Request } from 'express';
import { pino } from 'pino';

import { CLOSED_PORT } from '../../../scripts/harness';
import { loadConfig } from '../../../src/config';
import { openSpanTracing } from '../../../src/features/traces/span-tracing';
import type { Tracing } from '../../../src/telemetry/tracing';
import { useProvider } from '../../delivery/use-provider';
import { countTimers } from '../../harness/count-timers';
import { FakeProxy } from '../../harness/fake-proxy';
import { AN_EXCHANGE } from '../../harness/an-exchange';
import { collectedSpans } from './collected-spans';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const ATTEMPT = { channel: 'sms', transport: 'http', messageId: 'm-1' } as const;

/** A request of which only the headers are looked at. */
const requestOf = (headers: Request['headers'] = {}): Request =>
  Object.assign(new IncomingMessage(new Socket()), { headers }) as Request;

describe('tracing', () => {
  const collector = useProvider();
  let lines: Readonly<Record<string, unknown>>[];
  let tracing: Tracing;
  beforeEach(() => {
    lines = [];
  });

  const open = async (
    settings: Readonly<Record<string, string>> = {},
    endpoint = collector().url,
    // Longer than a busy machine needs.
    times = { exportMs: 60_000, closeMs: 60_000 },
  ): Promise<Tracing> => {
    const logger = pino({}, { write: (line: string) => lines.push(JSON.parse(line) as (typeof lines)[0]) });
    const config = loadConfig(settings);
    tracing = await openSpanTracing(endpoint, config, '1.2.3', logger, times);
    return tracing;
  };
  /** A request from its begin to its end. */
  const serve = (headers?: Request['headers'], exchange: Partial<typeof AN_EXCHANGE> = {}) => {
    const trace = tracing.begin(requestOf(headers));
    tracing.end?.({ ...AN_EXCHANGE, ...exchange, trace });
    return trace;
  };
  const spans = async () => {
    await tracing.close();
    return collectedSpans(collector().received);
  };

  it('has a span for each request, named by operation and binding', async () => {
    await open();
    serve();
    expect(await spans()).toEqual([
      expect.objectContaining({
        name: 'AuthCode get',
        kind: 2,
        failed: false,
        attributes: {
          'http.request.method': 'GET',
          'http.route': '/AuthCodeSending.asmx/AuthCode',
          'http.response.status_code': 200,
          'rpc.service': 'AuthCodeSending',
          'rpc.method': 'AuthCode',
          'service.binding': 'get',
          'service.outcome': 'ok',
          'service.request_id': 'r-1',
        },
      }),
    ]);
  });

  it('marks whose fault a failed request was, and hides an unknown method', async () => {
    await open();
    serve({}, { outcome: 'server_error', status: 500 });
    serve({}, { outcome: 'client_error', status: 0, refusal: 'no-credentials', method: 'PHONE-90555' });
    serve({}, { operation: undefined, endpoint: undefined, binding: undefined });
    expect(await spans()).toMatchObject([
      { failed: true, attributes: { 'error.type': 'server_error' } },
      {
        failed: false,
        attributes: {
          'error.type': 'client_error',
          'service.refusal': 'no-credentials',
          'http.request.method': '_OTHER',
        },
      },
      { name: 'request' },
    ]);
  });

  it('continues the trace of the caller, or starts a new one if that is invalid', async () => {
    await open();
    const taken = serve({ traceparent: PARENT, tracestate: 'vendor=1' });
    const fresh = serve({ traceparent: PARENT.toUpperCase(), tracestate: 'vendor=1' });
    expect(taken?.traceparent).toMatch(new RegExp(`^00-${TRACE}-(?!00f067aa0ba902b7)[0-9a-f]{16}-01$`));
    expect(taken?.tracestate).toBe('vendor=1');
    expect(fresh?.traceparent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
    expect(fresh?.tracestate).toBeUndefined();
    const [first, second] = await spans();
    expect(first).toMatchObject({ traceId: TRACE, parentSpanId: '00f067aa0ba902b7', traceState: 'vendor=1' });
    expect(second?.traceId).not.toBe(TRACE);
    expect(second?.parentSpanId).toBeUndefined();
  });

  it.each([
    ['sent', { kind: 'sent', status: 202 }, false, { 'http.response.status_code': 202 }],
    ['written', { kind: 'written' }, false, { 'service.outcome': 'written' }],
    ['refused', { kind: 'refused', reason: 'r', status: 400 }, true, { 'error.type': 'refused' }],
    ['a defect', undefined, true, { 'error.type': 'defect' }],
  ] as const)('has a span for each attempt: %s', async (_what, outcome, failed, attributes) => {
    await open();
    const request = serve();
    const attempt = tracing.traceAttempt?.(ATTEMPT, request);
    attempt?.end(outcome);
    const [served, sent] = await spans();
    expect(sent).toMatchObject({
      name: 'send sms',
      kind: 3,
      failed,
      parentSpanId: served?.spanId,
      attributes: {
        ...attributes,
        'messaging.operation.type': 'send',
        'messaging.destination.name': 'sms',
        'messaging.message.id': 'm-1',
        'service.transport': 'http',
      },
    });
    expect(attempt?.trace.traceparent).toBe(`00-${served?.traceId ?? ''}-${sent?.spanId ?? ''}-01`);
  });

  it('samples its own traces at the configured rate, and follows the decision of callers', async () => {
    await open({ OTEL_TRACES_SAMPLER_ARG: '0' });
    expect(serve()?.traceparent).toMatch(/-00$/);
    expect(serve({ traceparent: PARENT })?.traceparent).toMatch(/-01$/);
    serve({ traceparent: PARENT.replace(/01$/, '00') });
    tracing.traceAttempt?.(ATTEMPT, undefined).end({ kind: 'sent' });
    expect(await spans()).toMatchObject([{ traceId: TRACE }]);
  });

  it('identifies itself to the collector, with the configured headers', async () => {
    await open({ OTEL_SERVICE_NAME: 'north', OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b,x-other=2' });
    serve();
    const [span] = await spans();
    expect(span?.resource).toEqual({
      'service.name': 'north',
      'service.version': '1.2.3',
      'service.instance.id': expect.stringMatching(new RegExp(`:${String(process.pid)}$`)) as string,
    });
    expect(collector().received[0]).toMatchObject({
      method: 'POST',
      path: '/v1/traces',
      headers: { 'x-key': 'a b', 'x-other': '2', 'content-type': 'application/json' },
    });
  });

  it('reports once that its collector is unreachable, and still closes', async () => {
    await open({}, `http://127.0.0.1:${String(CLOSED_PORT)}`, { exportMs: 50, closeMs: 60_000 });
    for (let at = 0; at < 1100; at += 1) serve();
    await tracing.close();
    expect(lines).toEqual([
      expect.objectContaining({ level: 40, msg: expect.stringMatching(/^cannot export traces/) as string }),
    ]);
  });

  it('leaves no timer behind, which would delay the end of the process', async () => {
    await open();
    const before = countTimers();
    await tracing.close();
    expect(countTimers()).toBeLessThanOrEqual(before);
  });

  it('closes in time if its collector does not respond', async () => {
    collector().usual = 'never answers';
    await open({}, collector().url, { exportMs: 500, closeMs: 10 });
    serve();
    await tracing.close();
    expect(lines).toEqual([
      expect.objectContaining({
        level: 40,
        msg: expect.stringMatching(/dropped traces that could not be exported in time$/) as string,
      }),
    ]);
  });

  it('keeps spans up to a limit, and drops the rest', async () => {
    await open();
    for (let at = 0; at < 3000; at += 1) serve();
    const held = await spans();
    expect(held.length).toBeGreaterThanOrEqual(2048);
    expect(held.length).toBeLessThanOrEqual(2048 + 512);
  });

  it('sends its spans through the outbound proxy', async () => {
    const proxy = await new FakeProxy({ 'collector.test:80': collector().url }).start();
    await open({ HTTP_PROXY: proxy.url('school:secret') }, 'http://collector.test');
    serve();
    expect(await spans()).toHaveLength(1);
    expect(proxy.passages).toMatchObject([
      {
        target: 'collector.test:80',
        authorization: `Basic ${Buffer.from('school:secret').toString('base64')}`,
      },
    ]);
    await proxy.stop();
  });
});
