import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';

import { exchange, get } from '../../scripts/harness';
import { authority, certify } from '../harness/certificates';
import { useServicesHere } from './use-services-here';
import { trusting, writeTlsFiles } from './use-tls';

const ISSUER = authority('Test issuer');
const SERVER = certify({ name: 'localhost', issuer: ISSUER });
const CLIENTS = authority('Issuer of callers');
const PORTAL = certify({ name: 'portal', issuer: CLIENTS });
const NAMESAKE = certify({ name: 'portal', issuer: authority('Another authority') });
const EXPIRED = certify({ name: 'portal', issuer: CLIENTS, fromDays: -20, toDays: -10 });
const NEIGHBOUR = certify({ name: 'neighbour', issuer: CLIENTS });
const TLS = trusting(ISSUER);

const token = get('PushNotificationMobile', 'GetTokenDevice', 'id=DEV-1');

describe('client certificates', () => {
  const services = useServicesHere();
  const fingerprint = createHash('sha256').update(new X509Certificate(PORTAL.certificate).raw).digest('hex');

  it.each([
    ['fingerprint', { fingerprint }],
    ['subject', { subject: { CN: 'portal' } }],
  ])('identify callers by %s', async (_by, certificate) => {
    const ACCESS_FILE = join(services.folder, 'access.json');
    writeFileSync(ACCESS_FILE, JSON.stringify({ callers: { portal: { certificate } } }));
    const settings = { ...writeTlsFiles(services.folder, SERVER, CLIENTS), ACCESS_FILE };
    const service = await services.start({ settings });
    const as = async (own?: typeof PORTAL): Promise<number> =>
      (await exchange(service.port, token, trusting(ISSUER, own))).status;

    expect(await as(PORTAL)).toBe(200);
    await service.line('request', { caller: 'portal', status: 200 });
    expect(await as()).toBe(403);
    await service.line('request', { refusal: 'no-credentials' });
    expect(await as(EXPIRED)).toBe(403);
    await service.line('request', { refusal: 'CERT_HAS_EXPIRED' });
    expect(await as(NAMESAKE)).toBe(403);
    await service.line('request', { refusal: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
    expect(await as(NEIGHBOUR)).toBe(403);
    expect((await exchange(service.port, { path: '/healthz' }, TLS)).status).toBe(200);
    await service.stop();
  });

  it('are required for all callers without an access file', async () => {
    const settings = writeTlsFiles(services.folder, SERVER, CLIENTS);
    const service = await services.start({ settings: { ...settings, HTTP_PORT: '0' } });
    expect((await exchange(service.port, token, trusting(ISSUER, NEIGHBOUR))).status).toBe(200);
    for (const own of [undefined, EXPIRED, NAMESAKE]) {
      await expect(exchange(service.port, token, trusting(ISSUER, own))).rejects.toThrow();
    }
    const { text } = await service.askAdmin({ path: '/metrics' });
    expect(text).toContain('service_tls_failures_total{reason="CERT_HAS_EXPIRED"} 1');
    expect((await exchange(service.plainPort, { path: '/healthz' })).status).toBe(200);
    expect(service.output).not.toContain('Anyone who can reach this port');
    await service.stop();
  });

  it('that are no longer trusted are rejected when a session is resumed', async () => {
    const ACCESS_FILE = join(services.folder, 'access.json');
    writeFileSync(
      ACCESS_FILE,
      JSON.stringify({ callers: { portal: { certificate: { subject: { CN: 'portal' } } } } }),
    );
    const settings = { ...writeTlsFiles(services.folder, SERVER, CLIENTS), ACCESS_FILE };
    const service = await services.start({ settings });
    const first = connect({ ...trusting(ISSUER, PORTAL), port: service.port, host: '127.0.0.1' });
    const [session] = (await once(first, 'session')) as [Buffer];
    first.destroy();
    const again = { ...trusting(ISSUER, PORTAL), session };
    expect((await exchange(service.port, token, again)).status).toBe(200);
    writeTlsFiles(services.folder, SERVER, authority('Another issuer of callers'));
    await service.reload();
    expect((await exchange(service.port, token, again)).status).toBe(403);
    await service.stop();
  });

  it('without a trusted issuer cause a warning at start, as does an address without TLS', async () => {
    const ACCESS_FILE = join(services.folder, 'access.json');
    writeFileSync(ACCESS_FILE, JSON.stringify({ callers: { portal: { certificate: { fingerprint } } } }));
    const service = await services.start({
      settings: {
        ...writeTlsFiles(services.folder, SERVER),
        ACCESS_FILE,
        BASE_URL: 'http://school.example',
      },
    });
    await service.line('ACCESS_FILE identifies callers by certificate');
    await service.line('BASE_URL begins with http://');
    expect(await service.stop()).toEqual({ code: 0, signal: null });
  });
});
