// A service in a network that has no way out but a proxy.

import { join } from 'node:path';
import tls from 'node:tls';

import { form } from '../../scripts/harness';
import {
  FakeProvider,
  markRequest,
  providerSettings,
  writeServiceAccount,
  writeGatewaysFile,
} from '../../scripts/harness/delivery';
import { authority, certify } from '../harness/certificates';
import { FakeProxy } from '../harness/fake-proxy';
import { runCommand } from '../harness/run-command';
import { useServicesHere } from './use-services-here';

const HOSTS = ['gateway.test', 'firebase.test', 'tokens.test'] as const;
const ISSUER = authority('Test issuer');
const { key, certificate: cert } = certify({ name: 'providers', issuer: ISSUER, hosts: HOSTS });
const PASSWORD = 'hunter2&secret';
const CREDENTIALS = `school:${encodeURIComponent(PASSWORD)}`;
const BASIC = `Basic ${Buffer.from(`school:${PASSWORD}`).toString('base64')}`;
const SECRETS = [PASSWORD, encodeURIComponent(PASSWORD), BASIC.slice('Basic '.length)];

const CODE = form('AuthCodeSending', 'AuthCode', 'code=84021&phone=%2B905551112233');
const NOTE = markRequest(1);

describe('a service behind an outgoing proxy', () => {
  const services = useServicesHere();
  let provider: FakeProvider;
  let proxy: FakeProxy;
  beforeEach(async () => {
    provider = await new FakeProvider({ key, cert }).start();
    const urls = HOSTS.map((host) => [`${host}:443`, provider.url]);
    proxy = await new FakeProxy(Object.fromEntries(urls) as Record<string, string>).start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all([provider.stop(), proxy.stop()]);
  });

  /** Trusts the issuer, as the whole process does that has it in NODE_EXTRA_CA_CERTS when it starts. */
  beforeEach(() => {
    const { connect } = tls;
    const trusting = (options: tls.ConnectionOptions) => connect({ ...options, ca: ISSUER.certificate });
    jest.spyOn(tls, 'connect').mockImplementation(trusting as typeof connect); // The form that undici calls.
  });

  const settings = () => ({
    ...providerSettings(services.folder, 'https://tokens.test'),
    GATEWAYS_FILE: writeGatewaysFile(services.folder, { url: 'https://gateway.test/sms' }),
    FCM_SERVICE_ACCOUNT: writeServiceAccount(
      services.folder,
      'https://tokens.test/token',
      'https://firebase.test',
    ),
  });

  it('reaches gateway, Firebase and its token server through tunnels', async () => {
    const service = await services.start({
      settings: { ...settings(), https_proxy: proxy.url(CREDENTIALS), LOG_LEVEL: 'trace' },
    });
    await service.ask(CODE);
    await service.ask(NOTE);
    await service.line('message', { channel: 'push', state: 'sent' });
    await service.line('message', { channel: 'sms', state: 'sent' });
    await service.stop();
    expect(new Set(proxy.passages.map(({ method, target }) => `${method} ${target}`))).toEqual(
      new Set(HOSTS.map((host) => `CONNECT ${host}:443`)),
    );
    expect(new Set(proxy.passages.map(({ authorization }) => authorization))).toEqual(new Set([BASIC]));
    const log = service.output;
    for (const secret of SECRETS) expect(log).not.toContain(secret);
  });

  it('is checked through the proxy, without showing its credentials', async () => {
    const own = {
      ...settings(),
      HTTPS_PROXY: proxy.url(CREDENTIALS),
      DATA_DIR: join(services.folder, 'data'),
    };
    const { out, err } = await runCommand('check', [], { folder: services.folder, settings: own });
    expect(out).toContain('a connection over TLS to gateway.test:443');
    expect(out).toContain('an access token, and a connection over TLS to firebase.test:443');
    expect(provider.received).toEqual([]);
    const shown = out + err;
    expect(shown).toMatch(/HTTPS_PROXY +environment +http:\/\/127\.0\.0\.1:\d+\/\*\*\*/);
    for (const secret of SECRETS) expect(shown).not.toContain(secret);
  });
});
