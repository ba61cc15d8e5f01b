import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import pino from 'pino';

import { loadConfig, SettingError } from '../../src/config';
import { openTls, tlsFindings } from '../../src/tls';
import { type CertificateOptions, certify } from '../support/certificates';

const DAY_MS = 86_400_000;

describe('the certificate of the service', () => {
  const folder = mkdtempSync(join(tmpdir(), 'server-tls-'));
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const files = { TLS_CERT_FILE: join(folder, 'own.crt'), TLS_KEY_FILE: join(folder, 'own.key') };
  function write(options: Omit<CertificateOptions, 'name'>): void {
    const { certificate, key } = certify({ name: 'localhost', ...options });
    writeFileSync(files.TLS_CERT_FILE, certificate);
    writeFileSync(files.TLS_KEY_FILE, key);
  }

  function open(settings: Readonly<Record<string, string>> = {}) {
    const lines: string[] = [];
    const logger = pino({}, { write: (line) => lines.push(line) });
    return { tls: openTls(loadConfig({ ...files, ...settings }), logger), lines };
  }

  it.each([
    [{ fromDays: -100, toDays: 22 }, undefined],
    [{ fromDays: -100, toDays: 20 }, 'the certificate (TLS_CERT_FILE) ends soon'],
    [{ fromDays: -100, toDays: -1 }, 'the certificate (TLS_CERT_FILE) has ended'],
    [{ fromDays: 1, toDays: 100 }, 'the certificate (TLS_CERT_FILE) is not valid yet'],
    // One of six days.
    [{ fromDays: -3, toDays: 3 }, undefined],
    [{ fromDays: -5, toDays: 1 }, 'the certificate (TLS_CERT_FILE) ends soon'],
  ])('of %j is warned of in time', (options, expected) => {
    write(options);
    const found = tlsFindings(loadConfig(files)).map(({ message }) => message);
    expect(found).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)]);
    // What is found before the start is logged there.
    expect(open().lines).toEqual([]);
  });

  it('is warned of once a day', () => {
    jest.useFakeTimers();
    try {
      write({ fromDays: -100, toDays: 22.5 });
      const { lines } = open();
      jest.advanceTimersByTime(DAY_MS);
      expect(lines).toEqual([]);
      jest.advanceTimersByTime(DAY_MS);
      expect(lines).toEqual([expect.stringContaining('"days":20')]);
      jest.advanceTimersByTime(DAY_MS);
      expect(lines).toHaveLength(2);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is warned of when it is read again, where the new one ends soon or has ended', () => {
    write({ fromDays: -1, toDays: 100 });
    const { tls, lines } = open();
    tls?.reload();
    expect(lines).toEqual([]);
    write({ fromDays: -100, toDays: 20 });
    tls?.reload();
    expect(lines).toEqual([expect.stringContaining('the certificate (TLS_CERT_FILE) ends soon')]);
    write({ fromDays: -100, toDays: -1 });
    tls?.reload();
    expect(lines.slice(1)).toEqual([expect.stringContaining('the certificate (TLS_CERT_FILE) has ended')]);
  });

  it('names whom it is for', () => {
    write({});
    expect(open().tls?.names).toEqual(['localhost', '127.0.0.1']);
  });

  it.each([
    [{ TLS_KEY_FILE: '' }, 'TLS_CERT_FILE needs TLS_KEY_FILE'],
    [{ TLS_CERT_FILE: '' }, 'TLS_KEY_FILE needs TLS_CERT_FILE'],
    [
      { TLS_CERT_FILE: '', TLS_KEY_FILE: '', TLS_CLIENT_CA_FILE: 'x' },
      'TLS_CLIENT_CA_FILE needs TLS_CERT_FILE and TLS_KEY_FILE',
    ],
    [
      { TLS_CERT_FILE: '', TLS_KEY_FILE: '', HTTP_PORT: '80' },
      'HTTP_PORT needs TLS_CERT_FILE and TLS_KEY_FILE',
    ],
  ])('does not go with %j', (settings, expected) => {
    expect(() => open(settings)).toThrow(SettingError);
    expect(() => open(settings)).toThrow(expected);
    expect(tlsFindings(loadConfig({ ...files, ...settings }))).toMatchObject([
      { level: 'fatal', message: expect.stringContaining(expected) as string },
    ]);
  });

  it('is none where nothing is set', () => {
    expect(open({ TLS_CERT_FILE: '', TLS_KEY_FILE: '' }).tls).toBeUndefined();
  });
});
