import { type RequestHandler, Router } from 'express';
import pino from 'pino';
import request from 'supertest';

import { createAdminApp, Metrics } from '../../src/telemetry';
import { AN_EXCHANGE } from '../harness/an-exchange';

function fail(): never {
  throw new Error('hunter2');
}

describe('the metrics', () => {
  it('count requests and their durations by operation, binding and outcome', async () => {
    const metrics = new Metrics();
    metrics.countRequest(AN_EXCHANGE, 'java');
    metrics.countRequest(AN_EXCHANGE, 'java');
    metrics.countRequest(
      { ...AN_EXCHANGE, outcome: 'client_error', refusal: 'school', caller: 'portal' },
      'java',
    );
    metrics.countRequest({ ...AN_EXCHANGE, operation: undefined, binding: undefined }, 'java');

    const text = await metrics.registry.metrics();
    expect(text).toContain('service_requests_total{operation="AuthCode",binding="get",outcome="ok"} 2\n');
    expect(text).toContain(
      'service_requests_total{operation="AuthCode",binding="get",outcome="client_error"} 1\n',
    );
    expect(text).toContain('service_requests_by_caller_total{caller="none",agent="java",binding="get"} 2\n');
    expect(text).toContain(
      'service_requests_by_caller_total{caller="portal",agent="java",binding="get"} 1\n',
    );
    expect(text).toContain('service_refusals_total{reason="school"} 1\n');
    expect(text).toContain(
      'service_request_errors_total{operation="AuthCode",binding="get",reason="Access denied: school."} 1\n',
    );
    expect(text).toContain('service_requests_total{operation="none",binding="none",outcome="ok"} 1\n');
    expect(text).toContain(
      'service_request_duration_seconds_bucket{le="0.025",operation="AuthCode",binding="get",outcome="ok"} 2\n',
    );
    expect(text).toContain(
      'service_request_duration_seconds_sum{operation="AuthCode",binding="get",outcome="ok"} 0.04\n',
    );
  });

  it('count forwarded requests, and their callers by outcome', async () => {
    const metrics = new Metrics();
    metrics.watchForwarding();
    metrics.countForwarded('AuthCode', 'get', 'answered', 'java', '192.0.2.1');
    metrics.countForwarded('AuthCode', 'get', 'silent', 'java', '192.0.2.1');
    metrics.countForwarded('AuthCode', 'get', 'fallback', 'java', '192.0.2.1');
    const text = await metrics.registry.metrics();
    for (const outcome of ['answered', 'silent', 'fallback'])
      expect(text).toContain(
        `service_forwarded_requests_total{operation="AuthCode",binding="get",outcome="${outcome}"} 1\n`,
      );
    expect(metrics.takeCallers()).toEqual(
      ['answered', 'silent', 'fallback'].map((outcome) => ({
        ...{ caller: undefined, address: '192.0.2.1', agent: 'java', outcome },
        ...{ operation: 'AuthCode', binding: 'get', requests: 1 },
      })),
    );
    expect(metrics.takeCallers()).toEqual([]);
  });

  it('name the reason for a refusal, and hide errors of the service', async () => {
    const metrics = new Metrics();
    const refused = { ...AN_EXCHANGE, fields: { reason: 'Parameter code is empty.' } };
    metrics.countRequest({ ...refused, outcome: 'client_error' }, 'java');
    metrics.countRequest({ ...refused, outcome: 'server_error' }, 'java');
    const text = await metrics.registry.metrics();
    const errors = 'service_request_errors_total{operation="AuthCode",binding="get",reason=';
    expect(text).toContain(`${errors}"Parameter code is empty."} 1\n`);
    expect(text).toContain(`${errors}"Internal error."} 1\n`);
  });

  it('count how long writes took, and failed writes by cause', async () => {
    const metrics = new Metrics();
    metrics.countWrite(2);
    metrics.countWrite(400);
    metrics.countWrite(5000, 'locked');
    const text = await metrics.registry.metrics();
    expect(text).toContain('service_store_write_seconds_bucket{le="0.0025"} 1\n');
    expect(text).toContain('service_store_write_seconds_bucket{le="0.5"} 2\n');
    expect(text).toContain('service_store_write_seconds_sum 0.402\n');
    expect(text).toContain('service_store_write_failures_total{trouble="locked"} 1\n');
  });

  it.each([
    ['ready', 1],
    ['store unavailable', 0],
    ['draining', 0],
  ] as const)('report a service that is %s: %i', async (status, value) => {
    const metrics = new Metrics();
    metrics.watchHealth({ status: () => Promise.resolve(status) });
    expect(await metrics.registry.metrics()).toContain(`\nservice_ready ${String(value)}\n`);
  });

  it('include memory, processor time and event loop delay', async () => {
    const text = await new Metrics().registry.metrics();
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      expect(text).toMatch(new RegExp(`^${name} [\\d.e-]+`, 'm'));
    }
  });

  it('carry no content of a request in their labels', async () => {
    const metrics = new Metrics();
    metrics.countRequest(AN_EXCHANGE, 'java');
    const text = await metrics.registry.metrics();
    expect(text).not.toContain('r-1');
    expect(text).not.toContain('+90');
  });

  const lines: { readonly msg: string }[] = [];
  const logger = pino({}, { write: (line) => lines.push(JSON.parse(line) as { msg: string }) });
  const gate: RequestHandler = (_request, _response, next) => {
    next();
  };
  beforeEach(() => {
    lines.length = 0;
  });

  it.each([
    ['the gate', () => ({ gate: fail }), '/x'],
    ['a page', () => ({ pages: fail }), '/x'],
    ['a page, later', () => ({ pages: () => Promise.reject(new Error('hunter2')) }), '/x'],
    ['the metrics page', () => ({}), '/metrics'],
  ] as const)('are on a port that reveals nothing of how %s failed', async (_what, parts, path) => {
    const metrics = new Metrics();
    jest.spyOn(metrics.registry, 'metrics').mockRejectedValue(new Error('hunter2'));
    const app = createAdminApp(metrics, { gate, trustProxy: false, logger, ...parts() });
    const answer = await request(app).get(path);
    expect([answer.status, answer.text]).toEqual([500, 'Internal error. See the service’s log.\n']);
    expect(lines).toMatchObject([{ msg: 'admin port failed', err: { message: 'hunter2' } }]);
  });

  it('are on a port that cuts off an answer that fails halfway', async () => {
    const pages: RequestHandler = (_request, response) => {
      response.write('begun');
      fail();
    };
    const app = createAdminApp(new Metrics(), { gate, trustProxy: false, logger, pages });
    await expect(request(app).get('/x')).rejects.toThrow(/aborted|hang up/);
  });

  it('are on a port that rejects a path that cannot be decoded', async () => {
    const pages = Router().get('/:id', gate);
    const app = createAdminApp(new Metrics(), { gate, trustProxy: false, logger, pages });
    const answer = await request(app).get('/%E0%A4%A');
    expect([answer.status, answer.text]).toEqual([400, 'Invalid request.\n']);
    expect(lines).toEqual([]);
  });

  it('are served at /metrics, and nothing else is there', async () => {
    const app = createAdminApp(new Metrics(), { gate, trustProxy: false, logger });
    const page = await request(app).get('/metrics');
    expect(page.text).toContain('# TYPE service_requests_total counter');
    expect(page.headers['content-type']).toMatch(/^text\/plain/);
    expect(page.status).toBe(200);

    const other = await request(app).get('/<script>');
    expect(other.status).toBe(404);
    expect(other.text).not.toContain('script');
  });
});
