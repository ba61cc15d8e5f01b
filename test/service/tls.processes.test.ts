import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { connect as connectPlain } from 'node:net';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';

import { exchange, form, get, RawConnection, type RawRequest, token11, token12 } from '../../scripts/harness';
import { authority, certify } from '../harness/certificates';
import { beginRequest } from './begin-request';
import { databaseIn, storedMessages } from './stored-messages';
import { PROCESS_COUNTS, type ServiceHere, useServicesEitherWay } from './use-services-here';
import { trusting, writeTlsFiles } from './use-tls';

const ISSUER = authority('Test issuer');
const SERVER = certify({ name: 'localhost', issuer: ISSUER });
const OTHER_SERVER = certify({ name: 'localhost', issuer: ISSUER });
const TLS = trusting(ISSUER);

const token = get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1');
const code = form('AuthCodeSending', 'AuthCode', 'code=1234&phone=%2B905551112233');

async function dial(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ ...TLS, ...options, port, host: '127.0.0.1' });
  await once(socket, 'secureConnect');
  return socket;
}

/** Serial number of the certificate that a new connection is shown. */
async function shownCertificate(service: ServiceHere): Promise<string> {
  const socket = await dial(service.port, {});
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}

const serialOf = ({ certificate }: { readonly certificate: string }): string =>
  new X509Certificate(certificate).serialNumber;

describe.each(PROCESS_COUNTS)('with a certificate, %s processes', (PROCESSES) => {
  const services = useServicesEitherWay();
  let service: ServiceHere;
  beforeAll(async () => {
    const settings = { ...writeTlsFiles(services.folder, SERVER), PROCESSES, HTTP_PORT: '0' };
    service = await services.start({ settings, tls: TLS });
  });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('all bindings answer over %s', async (version) => {
    const tls = { ...TLS, minVersion: version, maxVersion: version };
    const post = form('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1');
    for (const request of [token, post, token11('DEV-1'), token12('DEV-1')]) {
      const response = await exchange(service.port, request, tls);
      expect([response.status, response.text]).toEqual([200, expect.stringContaining('sample-token-01')]);
    }
    const socket = await dial(service.port, tls);
    expect(socket.getProtocol()).toBe(version);
    socket.destroy();
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('%s is rejected', async (version) => {
    const old = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' };
    await expect(dial(service.port, old)).rejects.toMatchObject({ code: /ALERT_PROTOCOL_VERSION/ });
  });

  it('plain HTTP gets no answer', async () => {
    const connection = await RawConnection.open(service.port);
    connection.send(token);
    expect((await connection.readUntilClosed()).toString()).toBe('');
  });

  it('documents contain the address at which they were requested', async () => {
    const authorityOf = `localhost:${String(service.port)}`;
    const headers = [['Host', authorityOf]] as const;
    const wsdl = await service.ask({ path: '/PushNotificationMobile.asmx?WSDL', headers });
    expect(wsdl.text).toContain(`location="https://${authorityOf}/PushNotificationMobile.asmx"`);
    const page = await service.ask({ path: '/PushNotificationMobile.asmx?op=GetTokenDevice', headers });
    expect(page.text).toContain(`https://${authorityOf}/`);
    expect(page.text).not.toContain(`http://${authorityOf}`);
  });

  it('pages of other sites may not call, pages of the service may', async () => {
    const host = ['Host', 'school.example'] as const;
    const from = async (origin: string): Promise<number> =>
      (await service.ask({ ...token, headers: [host, ['Origin', origin]] })).status;
    expect(await from('https://school.example')).toBe(200);
    expect(await from('https://evil.test')).toBe(403);
  });

  describe('the plain port', () => {
    const ask = (request: RawRequest) => exchange(service.plainPort, request);

    it('reports the health of the service', async () => {
      expect((await ask({ path: '/healthz' })).text).toBe('{"status":"alive"}');
      expect((await ask({ path: '/readyz' })).status).toBe(200);
    });

    it.each(['/', '/AuthCodeSending.asmx', '/Authcodesending.asmx?op=AuthCode', '/Scheduals.asmx?WSDL'])(
      'redirects requests for %s',
      async (path) => {
        const response = await ask({ path, headers: [['Host', 'school.example:80']] });
        expect([response.status, response.header('Location'), response.header('Cache-Control')]).toEqual([
          301,
          `https://school.example:${String(service.port)}${path}`,
          'no-store',
        ]);
      },
    );

    it.each([
      token,
      token11('DEV-1'),
      code,
      get('AuthCodeSending', 'AuthCode', 'code=1&phone=2'),
      { path: '/AuthCodeSending.asmx', method: 'PUT' },
      { path: '/', body: 'x' },
    ])('rejects calls: %j', async (request) => {
      const response = await ask({ ...request, headers: [['Host', 'school.example']] });
      expect([response.status, response.header('Content-Type')]).toEqual([403, 'text/plain; charset=utf-8']);
      expect(response.text).toContain(
        `https://school.example:${String(service.port)}${request.path.split('?')[0] ?? ''}`,
      );
    });

    it('answers before the body, without reading it', async () => {
      const connection = await RawConnection.open(service.plainPort);
      connection.write('POST /AuthCodeSending.asmx HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n');
      expect((await connection.readFinal()).status).toBe(403);
      connection.close();
    });

    it('answers nothing else', async () => {
      expect((await ask({ path: '/metrics' })).status).toBe(404);
      expect((await ask({ path: 'http://evil.test/' })).status).toBe(404);
    });

    it.each(['a b', 'evil.test/x', 'user@evil.test', '', '[::1', 'a,b'])(
      'does not redirect to %j',
      async (host) => {
        const response = await ask({ path: '/', headers: [['Host', host]] });
        expect(response.header('Location')).toBeUndefined();
        expect(response.status).toBe(400);
      },
    );

    it('does not redirect a request that names two hosts', async () => {
      const hosts = [
        ['Host', 'a.example'],
        ['Host', 'evil.test'],
      ] as const;
      expect((await ask({ path: '/', headers: hosts })).status).toBe(400);
    });
  });

  it('SIGHUP reloads the files; invalid ones change nothing', async () => {
    const kept = await RawConnection.open(service.port, TLS);
    kept.send({ ...token, keepAlive: true });
    expect((await kept.readFinal()).status).toBe(200);
    expect(await shownCertificate(service)).toBe(serialOf(SERVER));

    writeTlsFiles(services.folder, OTHER_SERVER);
    expect(await service.reload()).toMatchObject({ changed: ['TLS_CERT_FILE', 'TLS_KEY_FILE'], wrong: [] });
    for (let count = 0; count < 4; count += 1) {
      expect(await shownCertificate(service)).toBe(serialOf(OTHER_SERVER));
    }

    writeTlsFiles(services.folder, { ...SERVER, key: OTHER_SERVER.key });
    expect(await service.reload()).toMatchObject({ changed: [], wrong: ['TLS_CERT_FILE', 'TLS_KEY_FILE'] });
    expect(await shownCertificate(service)).toBe(serialOf(OTHER_SERVER));
    expect((await service.ask(token)).status).toBe(200);
    kept.send(token);
    expect((await kept.readFinal()).status).toBe(200);
  });

  it("the metrics contain the certificate's end date and failed handshakes", async () => {
    const { text } = await service.askAdmin({ path: '/metrics' });
    const end = /^service_tls_certificate_end_timestamp_seconds (\d+)$/m.exec(text)?.[1];
    expect(Number(end) * 1000).toBe(Date.parse(new X509Certificate(OTHER_SERVER.certificate).validTo));
    expect(text).toMatch(/^service_tls_failures_total\{reason="ERR_SSL_HTTP_REQUEST"\} 1$/m);
  });

  it('the start output shows how to call it', () => {
    expect(service.errors).toContain(`Listening on https://localhost:${String(service.port)}\n`);
    expect(service.errors).toContain(`curl -i "https://localhost:${String(service.port)}/`);
    expect(service.errors).toContain('Certificate for localhost, 127.0.0.1.');
  });

  it('SIGTERM lets running requests finish, and closes idle connections', async () => {
    const idle = await RawConnection.open(service.port, TLS);
    const unused = connectPlain(service.port, '127.0.0.1');
    await once(unused, 'connect');
    const { connection, rest } = await beginRequest(service, { tls: TLS });
    const closed = once(unused.resume(), 'close');
    service.signal('SIGTERM');
    await idle.readUntilClosed();
    await closed;
    connection.write(rest);
    expect((await connection.readFinal()).status).toBe(200);
    expect(await service.ended()).toEqual({ code: 0, signal: null });
  });

  it('refused calls store nothing', async () => {
    expect(await storedMessages(databaseIn(join(services.folder, 'data')))).toHaveLength(0);
  });
});
