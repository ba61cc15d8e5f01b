import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { DEFAULT_LIMITS } from '../../src/asmx';
import { type Config, timeLimits, loadConfig } from '../../src/config';

const read = (name: string): string => readFileSync(join(PACKAGE_ROOT, 'packaging', name), 'utf8');

/** Returns the value, in seconds, of a directive that occurs once. */
function seconds(directive: string): number {
  const values = [...read('nginx.conf').matchAll(new RegExp(`^ *${directive} (\\d+)s;`, 'gm'))];
  expect(values).toHaveLength(1);
  return Number(values[0]?.[1]);
}

const DEFAULTS: Config = loadConfig({});

describe('the limits of nginx', () => {
  it.each([
    ['client_header_timeout', 'headersMs'],
    ['send_timeout', 'unreadMs'],
    ['proxy_send_timeout', 'requestMs'],
  ] as const)('match the service: %s (%s)', (directive, limit) => {
    expect(seconds(directive)).toBe(timeLimits(DEFAULTS)[limit] / 1000);
  });

  it('leave the service time to answer, and reject slow requests first', () => {
    expect(seconds('proxy_read_timeout')).toBeGreaterThan(timeLimits(DEFAULTS).operationMs / 1000);
    expect(seconds('client_body_timeout')).toBeLessThan(DEFAULTS.REQUEST_TIMEOUT_SECONDS);
  });

  it('make nginx the first to close a kept connection', () => {
    const [, kept] = /^upstream [^}]* keepalive_timeout (\d+)s;/m.exec(read('nginx.conf')) ?? [];
    expect(Number(kept)).toBeLessThan(DEFAULTS.KEEP_ALIVE_SECONDS);
  });

  it('let through request lines that only the service finds too long', () => {
    const [, buffer] = /large_client_header_buffers \d+ (\d+)k;/.exec(read('nginx.conf')) ?? [];
    expect(Number(buffer) * 1024).toBeGreaterThan(
      DEFAULT_LIMITS.pathCharacters + DEFAULTS.MAX_QUERY_CHARACTERS,
    );
  });
});

it('nginx gets no parameter that it has deprecated', () => {
  expect(read('nginx.conf')).not.toMatch(/^ *listen .*\bhttp2\b/m);
});

describe('the unit for systemd', () => {
  it('gives the service enough time to stop', () => {
    const [, stop] = /^TimeoutStopSec=(\d+)s$/m.exec(read('school-notifications.service')) ?? [];
    expect(Number(stop)).toBeGreaterThan(timeLimits(DEFAULTS).stopMs / 1000);
  });
});
