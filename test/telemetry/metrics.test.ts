import request from 'supertest';

import { createAdminApp, Metrics } from '../../src/telemetry';
import { AN_EXCHANGE } from '../support/an-exchange';

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
      'service_request_errors_total{operation="AuthCode",binding="get",reason="Not let in: school."} 1\n',
    );
    expect(text).toContain('service_requests_total{operation="none",binding="none",outcome="ok"} 1\n');
    expect(text).toContain(
      'service_request_duration_seconds_bucket{le="0.025",operation="AuthCode",binding="get",outcome="ok"} 2\n',
    );
    expect(text).toContain(
      'service_request_duration_seconds_sum{operation="AuthCode",binding="get",outcome="ok"} 0.04\n',
    );
  });

  it('count how long writes took, and by what was wrong those of which nothing was kept', async () => {
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
  ] as const)('say of a service that is %s: %i', async (status, value) => {
    const metrics = new Metrics();
    metrics.watchHealth({ status: () => Promise.resolve(status) });
    expect(await metrics.registry.metrics()).toContain(`\nservice_ready ${String(value)}\n`);
  });

  it('hold memory, processor time and the delay of the event loop', async () => {
    const text = await new Metrics().registry.metrics();
    for (const name of [
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      expect(text).toMatch(new RegExp(`^${name} [\\d.e-]+`, 'm'));
    }
  });

  it('label nothing with what a request carried', async () => {
    const metrics = new Metrics();
    metrics.countRequest(AN_EXCHANGE, 'java');
    const text = await metrics.registry.metrics();
    expect(text).not.toContain('r-1');
    expect(text).not.toContain('+90');
  });

  it('are read at /metrics, and nothing else is there', async () => {
    const app = createAdminApp(new Metrics(), {
      gate: (_request, _response, next) => {
        next();
      },
      trustProxy: false,
    });
    const page = await request(app).get('/metrics');
    expect(page.text).toContain('# TYPE service_requests_total counter');
    expect(page.headers['content-type']).toMatch(/^text\/plain/);
    expect(page.status).toBe(200);

    const other = await request(app).get('/<script>');
    expect(other.status).toBe(404);
    expect(other.text).not.toContain('script');
  });
});
