import { constants, X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Server, TLSSocket } from 'node:tls';

import pino from 'pino';

import { loadConfig, SettingError } from '../../../src/config';
import { authorizationProblem, openTls, tlsFailure, tlsFindings } from '../../../src/access/tls';
import { authority, type CertificateOptions, certify } from '../../harness/certificates';
import { useFolder } from '../../harness/use-folder';

const DAY_MS = 86_400_000;

describe('the service’s certificate', () => {
  const folder = useFolder();

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
    [{ fromDays: -100, toDays: 20 }, 'The certificate (TLS_CERT_FILE) expires soon'],
    [{ fromDays: -100, toDays: -1 }, 'The certificate (TLS_CERT_FILE) has expired'],
    [{ fromDays: 1, toDays: 100 }, 'The certificate (TLS_CERT_FILE) is not valid yet'],
    // One of six days.
    [{ fromDays: -3, toDays: 3 }, undefined],
    [{ fromDays: -5, toDays: 1 }, 'The certificate (TLS_CERT_FILE) expires soon'],
  ])('valid for %j causes a warning in time', (options, expected) => {
    write(options);
    const found = tlsFindings(loadConfig(files)).map(({ message }) => message);
    expect(found).toEqual(expected === undefined ? [] : [expect.stringContaining(expected)]);
    // What is found before the start is logged there.
    expect(open().lines).toEqual([]);
  });

  it('causes one warning a day', () => {
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

  it('causes a warning on reload if the new one expires soon or has expired', () => {
    write({ fromDays: -1, toDays: 100 });
    const { tls, lines } = open();
    tls?.reload();
    expect(lines).toEqual([]);
    write({ fromDays: -100, toDays: 20 });
    tls?.reload();
    expect(lines).toEqual([expect.stringContaining('The certificate (TLS_CERT_FILE) expires soon')]);
    write({ fromDays: -100, toDays: -1 });
    tls?.reload();
    expect(lines.slice(1)).toEqual([expect.stringContaining('The certificate (TLS_CERT_FILE) has expired')]);
  });

  it('shows its host names and its expiry', () => {
    write({});
    const { tls } = open();
    expect(tls?.names).toEqual(['localhost', '127.0.0.1']);
    const { validTo } = new X509Certificate(readFileSync(files.TLS_CERT_FILE));
    expect(tls?.endsAt).toEqual(new Date(validTo));
    // One that names nobody.
    write({ isAuthority: true });
    expect(open().tls?.names).toEqual([]);
  });

  it('causes warnings accurate to the second, with its validity period', () => {
    write({ fromDays: -100, toDays: 100 });
    const clock = jest.spyOn(Date, 'now');
    try {
      const certificate = new X509Certificate(readFileSync(files.TLS_CERT_FILE));
      const [begins, ends] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
      const found = (time: number) => {
        clock.mockReturnValue(time);
        return tlsFindings(loadConfig(files)).map(({ level, message }) => [level, message.split(' ')[3]]);
      };
      expect(found(begins - 1)).toEqual([['error', 'is']]);
      expect(found(begins)).toEqual([]);
      expect(found(ends - 21 * DAY_MS)).toEqual([]);
      expect(found(ends - 21 * DAY_MS + 1)).toEqual([['warn', 'expires']]);
      expect(found(ends - 1)).toEqual([['warn', 'expires']]);
      expect(found(ends)).toEqual([['error', 'has']]);
      expect(tlsFindings(loadConfig(files))).toMatchObject([
        { fields: { validFrom: new Date(begins).toISOString(), validTo: new Date(ends).toISOString() } },
      ]);
    } finally {
      clock.mockRestore();
    }
  });

  describe('is presented over TLS 1.2 and 1.3, without renegotiation,', () => {
    const issuer = authority('Issuer of callers');
    const TLS_CLIENT_CA_FILE = join(folder, 'clients.crt');
    const ACCESS_FILE = join(folder, 'access.json');
    beforeAll(() => {
      writeFileSync(TLS_CLIENT_CA_FILE, issuer.certificate);
    });

    it.each([
      ['asks callers for none', {}, false, false],
      ['asks callers for none, with an access file', { ACCESS_FILE }, false, false],
      ['demands one of callers', { TLS_CLIENT_CA_FILE }, true, true],
      ['asks callers for one, with an access file', { TLS_CLIENT_CA_FILE, ACCESS_FILE }, true, false],
    ])('and %s', (_what, settings, requestCert, rejectUnauthorized) => {
      write({});
      expect(open(settings).tls?.options).toEqual({
        cert: readFileSync(files.TLS_CERT_FILE, 'utf8'),
        key: readFileSync(files.TLS_KEY_FILE, 'utf8'),
        ca: 'TLS_CLIENT_CA_FILE' in settings ? issuer.certificate : undefined,
        minVersion: 'TLSv1.2',
        maxVersion: 'TLSv1.3',
        secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
        requestCert,
        rejectUnauthorized,
      });
    });

    it('and replaced in every server on reload', () => {
      write({});
      const { tls } = open();
      const contexts: unknown[] = [];
      // Of a server, only this is asked.
      const server = { setSecureContext: (options: unknown) => contexts.push(options) } as unknown as Server;
      tls?.renew(server);
      tls?.renew(server);
      write({});
      tls?.reload();
      expect(contexts).toEqual([tls?.options, tls?.options]);
      expect(contexts[0]).toMatchObject({ cert: readFileSync(files.TLS_CERT_FILE, 'utf8') });
      writeFileSync(files.TLS_CERT_FILE, 'x');
      expect(() => tls?.reload()).toThrow('contains no certificate');
      expect(contexts).toHaveLength(2);
    });
  });

  it.each([
    [{ TLS_KEY_FILE: '' }, 'TLS_CERT_FILE is set, so TLS_KEY_FILE is required'],
    [{ TLS_CERT_FILE: '' }, 'TLS_KEY_FILE is set, so TLS_CERT_FILE is required'],
    [
      { TLS_CERT_FILE: '', TLS_KEY_FILE: '', TLS_CLIENT_CA_FILE: 'x' },
      'TLS_CLIENT_CA_FILE has no effect without TLS',
    ],
    [{ TLS_CERT_FILE: '', TLS_KEY_FILE: '', HTTP_PORT: '80' }, 'HTTP_PORT has no effect without TLS'],
  ])('cannot be combined with %j', (settings, expected) => {
    expect(() => open(settings)).toThrow(SettingError);
    expect(() => open(settings)).toThrow(expected);
    expect(tlsFindings(loadConfig({ ...files, ...settings }))).toMatchObject([
      { level: 'fatal', message: expect.stringContaining(expected) as string },
    ]);
  });

  it('is not used if nothing is set', () => {
    expect(open({ TLS_CERT_FILE: '', TLS_KEY_FILE: '' }).tls).toBeUndefined();
    expect(tlsFindings(loadConfig({}))).toEqual([]);
  });
});

describe('the reason for a failed TLS handshake', () => {
  const failure = (error: unknown, authorizationError?: unknown) =>
    // Of a connection, only this is asked.
    tlsFailure(error, { authorizationError } as unknown as TLSSocket);

  it('is OpenSSL’s result for the caller’s certificate, or else the error code', () => {
    const error = Object.assign(new Error('x'), { code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
    expect(failure(error, 'CERT_HAS_EXPIRED')).toBe('CERT_HAS_EXPIRED');
    expect(failure(error)).toBe('ERR_SSL_WRONG_VERSION_NUMBER');
    expect(failure(error, new Error('x'))).toBe('ERR_SSL_WRONG_VERSION_NUMBER');
    expect(failure(error, null)).toBe('ERR_SSL_WRONG_VERSION_NUMBER');
  });

  it('is given for an invalid certificate, and not for a valid one', () => {
    expect(authorizationProblem({ authorizationError: 'CERT_HAS_EXPIRED' })).toBe('CERT_HAS_EXPIRED');
    expect(authorizationProblem({})).toBeUndefined();
  });
});
