import type { Request } from 'express';

import { AN_EXCHANGE } from '../harness/an-exchange';
import { agentFamily, loggedAddress, Metrics, PROBE_AGENT } from '../../src/telemetry';

describe('the family of a User-Agent', () => {
  it.each([
    ['Mozilla/4.0 (compatible; MSIE 6.0; MS Web Services Client Protocol 4.0.30319.42000)', 'dotnet'],
    ['Mono Web Services Client Protocol 4.0.30319.42000', 'mono'],
    ['JAX-WS RI 2.3.2', 'java'],
    ['node-soap/1.13.0', 'node'],
    ['PHP-SOAP/8.2', 'php'],
    ['curl/8.5.0', 'curl'],
    ['okhttp/4.12', 'android'],
    ['Mozilla/5.0 (X11; Linux x86_64)', 'browser'],
    [PROBE_AGENT, 'probe'],
    ['"><script>', 'other'],
    ['', 'other'],
    [undefined, 'none'],
  ])('%s is %s', (userAgent, family) => {
    expect(agentFamily(userAgent)).toBe(family);
    expect(agentFamily(userAgent)).toBe(family);
  });

  it('is remembered for the thousand used last', () => {
    const matched = jest.spyOn(RegExp.prototype, 'test');
    try {
      agentFamily('curl/first');
      for (let at = 0; at < 1_000; at += 1) agentFamily(`curl/${String(at)}`);
      matched.mockClear();
      expect(agentFamily('curl/0')).toBe('curl');
      expect(matched).not.toHaveBeenCalled();
      expect(agentFamily('curl/first')).toBe('curl');
      expect(matched).toHaveBeenCalled();
    } finally {
      matched.mockRestore();
    }
  });
});

describe('the address in the log', () => {
  const from = (remoteAddress: string): Request =>
    ({ headers: {}, socket: { remoteAddress }, app: { get: () => () => false } }) as unknown as Request;

  it.each([
    ['10.1.2.3', '10.1.2.0/24'],
    ['::ffff:10.1.2.3', '10.1.2.0/24'],
    ['2001:db8:1:2::3', '2001:db8:1::/48'],
    ['::1', '0:0:0::/48'],
  ])('%s is its network %s', (address, network) => {
    expect(loggedAddress(from(address), 'network')).toBe(network);
  });

  it('is complete or omitted if so configured', () => {
    expect(loggedAddress(from('::ffff:10.1.2.3'), 'address')).toBe('10.1.2.3');
    expect(loggedAddress(from('10.1.2.3'), 'off')).toBeUndefined();
    expect(loggedAddress(from('"x'), 'address')).toBeUndefined();
    expect(loggedAddress(undefined, 'network')).toBeUndefined();
  });
});

describe('requests of the service’s own probe', () => {
  it('count for no operation, whatever they ask for', async () => {
    const metrics = new Metrics();
    metrics.countRequest({ ...AN_EXCHANGE, outcome: 'client_error' }, agentFamily(PROBE_AGENT));
    const text = await metrics.registry.getSingleMetricAsString('service_requests_total');
    expect(text).toContain('operation="none",binding="none",outcome="client_error"');
    expect(text).not.toContain(`operation="${String(AN_EXCHANGE.operation)}"`);
  });
});

describe('callers in the metrics', () => {
  it('are limited in number, however many there are', async () => {
    const metrics = new Metrics();
    const exchange = {
      requestId: 'r',
      method: 'GET',
      endpoint: undefined,
      operation: undefined,
      binding: 'get',
      status: 200,
      outcome: 'ok',
      durationMs: 1,
      fields: {},
      refusal: undefined,
      reason: undefined,
      error: undefined,
    } as const;
    for (let i = 0; i < 1_500; i += 1) metrics.countRequest({ ...exchange, caller: `c${String(i)}` }, 'java');
    const text = await metrics.registry.metrics();
    expect(text.match(/^service_requests_by_caller_total\{/gm)).toHaveLength(1_001);
    expect(text).toContain('{caller="other",agent="other",binding="other"} 500');
  });
});
