import {
  call,
  chunked,
  envelope11,
  form,
  get,
  RawConnection,
  type RawRequest,
  token11,
  withHeaders,
} from '../../scripts/harness';
import { type ServiceHere, useServicesHere } from './use-services-here';

describe('a limit', () => {
  const services = useServicesHere();
  let service: ServiceHere;
  beforeAll(async () => {
    service = await services.start({
      settings: {
        MAX_BODY_BYTES: '2000',
        MAX_QUERY_CHARACTERS: '64',
      },
    });
  });

  it.each<[string, RawRequest, RawRequest]>([
    ['MAX_BODY_BYTES', token11('x'.repeat(100)), token11('x'.repeat(2000))],
    [
      'MAX_QUERY_CHARACTERS',
      get('PushNotificationMobile', 'GetTokenDevice', `id=${'x'.repeat(61)}`),
      get('PushNotificationMobile', 'GetTokenDevice', `id=${'x'.repeat(62)}`),
    ],
  ])('set by %s accepts one request and rejects the other', async (_name, good, bad) => {
    expect((await service.ask(good)).status).toBe(200);
    expect((await service.ask(bad)).status).not.toBe(200);
    expect((await service.ask(good)).status).toBe(200);
  });

  it('set by MAX_BODY_BYTES counts a body of unknown length as it arrives', async () => {
    const request = form('PushNotificationMobile', 'GetTokenDevice', chunked(`id=${'x'.repeat(3000)}`));
    const asChunks = withHeaders(request, ['Transfer-Encoding', 'chunked']);
    expect((await service.ask(asChunks)).text).toContain('Maximum request length exceeded.');
  });
});

describe('a timeout', () => {
  const services = useServicesHere();

  async function expectTimeout(service: ServiceHere, bytes: string): Promise<void> {
    const connection = await RawConnection.open(service.port);
    connection.write(bytes);
    expect((await connection.readUntilClosed()).toString('latin1')).toMatch(/^HTTP\/1\.1 408 /);
    expect((await service.ask(token11('DEV-1'))).status).toBe(200);
  }

  async function expectIdleEnd(service: ServiceHere): Promise<void> {
    const connection = await RawConnection.open(service.port);
    connection.send({ path: '/healthz', headers: [['Connection', 'keep-alive']] });
    expect((await connection.read()).header('Keep-Alive')).toBe('timeout=1');
    expect(await connection.readUntilClosed()).toHaveLength(0);
  }

  it('set by REQUEST_TIMEOUT_SECONDS ends incomplete heads and bodies, by KEEP_ALIVE_SECONDS idle connections', async () => {
    const service = await services.start({
      settings: { REQUEST_TIMEOUT_SECONDS: '1', KEEP_ALIVE_SECONDS: '1' },
    });
    const head = 'POST /Scheduals.asmx HTTP/1.1\r\nHost: a\r\n';
    await Promise.all([
      expectTimeout(service, head),
      expectTimeout(service, `${head}Content-Length: 5\r\n\r\n1`),
      expectIdleEnd(service),
    ]);
  });
});

describe('the address of an installation', () => {
  const services = useServicesHere();
  const description = { path: '/Scheduals.asmx?WSDL' };
  const forwarded = {
    ...description,
    headers: [
      ['X-Forwarded-Proto', 'https'],
      ['X-Forwarded-Host', 'school.example'],
    ],
  } as const;

  /** Its descriptions have this namespace, and its operations no other. */
  async function expectNamespace(service: ServiceHere, namespace: string): Promise<void> {
    expect((await service.ask(description)).text).toContain(`targetNamespace="${namespace}"`);
    const body = envelope11(call('GetTokenDevice', { id: 'DEV-1' }, namespace));
    const headers = [
      ['Content-Type', 'text/xml; charset=utf-8'],
      ['SOAPAction', '"http://school.example/ns/GetTokenDevice"'],
    ] as const;
    const answer = await service.ask({ path: '/PushNotificationMobile.asmx', headers, body });
    expect(answer.text).toContain(
      `<GetTokenDeviceResponse xmlns="${namespace}"><GetTokenDeviceResult>sample-token-01<`,
    );
  }

  it('is taken from the request, and not from an untrusted proxy', async () => {
    const service = await services.start();
    const address = `location="http://127.0.0.1:${String(service.port)}/Scheduals.asmx"`;
    expect((await service.ask(description)).text).toContain(address);
    expect((await service.ask(forwarded)).text).toContain(address);
  });

  it('is BASE_URL if set, with SERVICE_NAMESPACE', async () => {
    const namespace = 'http://school.example/ns';
    const service = await services.start({
      settings: { BASE_URL: 'https://school.example/services/', SERVICE_NAMESPACE: namespace },
    });
    expect((await service.ask(description)).text).toContain(
      'location="https://school.example/services/Scheduals.asmx"',
    );
    expect(service.errors).toContain('https://school.example/services/Scheduals.asmx');
    await expectNamespace(service, namespace);
  });

  it('comes from the headers of a proxy in TRUST_PROXY, whatever the namespace ends with', async () => {
    const namespace = 'http://school.example/ns/';
    const service = await services.start({
      settings: { TRUST_PROXY: 'loopback', SERVICE_NAMESPACE: namespace },
    });
    expect((await service.ask(forwarded)).text).toContain('location="https://school.example');
    await expectNamespace(service, namespace);
  });

  it('comes from the headers in FORWARDED_HEADERS', async () => {
    const service = await services.start({
      settings: { TRUST_PROXY: 'loopback', FORWARDED_HEADERS: 'Front-End-Https, X-Original-Host' },
    });
    const headers = [
      ['Front-End-Https', 'on'],
      ['X-Original-Host', 'iis.example'],
    ] as const;
    expect((await service.ask(withHeaders(forwarded, ...headers))).text).toContain(
      'location="https://iis.example/',
    );
  });
});
