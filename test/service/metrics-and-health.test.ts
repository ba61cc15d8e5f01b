import { join } from 'node:path';

import { get, token11 } from '../../scripts/harness';
import { showsFileChannel } from './shows-file-channel';
import { type ServiceHere, useServicesHere } from './use-services-here';

describe('the service', () => {
  const services = useServicesHere();
  let service: ServiceHere;
  beforeAll(async () => {
    service = await services.start();
  });

  it.each([
    ['/healthz', { status: 'alive' }],
    ['/readyz', { status: 'ready' }],
  ])('answers %s as JSON', async (path, body) => {
    const answer = await service.ask({ path });
    expect(answer.status).toBe(200);
    expect(answer.header('Content-Type')).toMatch(/^application\/json/);
    expect(JSON.parse(answer.text)).toEqual(body);
  });

  it.each(['/', '/healthz', '/readyz'])('answers a probe of %s by HEAD and OPTIONS', async (path) => {
    const head = await service.ask({ method: 'HEAD', path });
    expect([head.status, head.text]).toEqual([200, '']);
    // As HAProxy asks without further words.
    const options = await service.ask({ method: 'OPTIONS', path, httpVersion: '1.0' });
    expect([options.status, options.text, options.header('Allow')]).toEqual([200, '', 'GET, HEAD, OPTIONS']);
  });

  it.each(['POST', 'PUT', 'DELETE'])('rejects %s of a probe', async (method) => {
    for (const path of ['/healthz', '/readyz']) {
      const answer = await service.ask({ method, path });
      expect([answer.status, answer.header('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS']);
    }
  });

  it('counts requests on the admin port, and only there', async () => {
    await service.ask(token11('DEV-1'));
    await service.ask(get('AuthCodeSending', 'AuthCode', 'code=1&phone=x'));
    const { status, text } = await service.askAdmin({ path: '/metrics' });
    expect(status).toBe(200);
    expect(text).toContain(
      'service_requests_total{operation="GetTokenDevice",binding="soap11",outcome="ok"} 1\n',
    );
    expect(text).toContain(
      'service_requests_total{operation="AuthCode",binding="get",outcome="client_error"} 1\n',
    );
    expect((await service.ask({ path: '/metrics' })).status).toBe(404);
  });

  it('reports a request that IIS reads and Node’s parser rejects, in the log and in the metrics', async () => {
    const { path } = get('PushNotificationMobile', 'GetTokenDevice', 'id=');
    expect((await service.ask({ path: `${path}\xc5\x9f` })).status).toBe(400);
    const reason = 'The query contains raw non-ASCII bytes.';
    const line = await service.lines(
      (lines) => lines.find((each) => each['reason'] === reason),
      'before the request was in the log',
    );
    expect(line).toMatchObject({ msg: 'request', status: 400, outcome: 'client_error' });
    expect((await service.askAdmin({ path: '/metrics' })).text).toContain(`reason="${reason}"} 1\n`);
  });

  it('logs one line per request, with its call and outcome', async () => {
    await service.ask(get('Scheduals', 'GetExamTableByExamId', 'ExamId=E2'));
    expect(await service.line('request', { operation: 'GetExamTableByExamId' })).toEqual({
      level: 'info',
      time: expect.any(String) as unknown,
      pid: expect.any(Number) as unknown,
      requestId: expect.any(String) as unknown,
      method: 'GET',
      endpoint: 'Scheduals',
      operation: 'GetExamTableByExamId',
      binding: 'get',
      agent: 'none',
      status: 200,
      outcome: 'ok',
      durationMs: expect.any(Number) as unknown,
      found: true,
      entries: 0,
      msg: 'request',
    });
  });

  it('does not reveal its software', async () => {
    for (const path of ['/', '/healthz', '/nowhere', '/Scheduals.asmx']) {
      expect((await service.ask({ path })).header('X-Powered-By')).toBeUndefined();
    }
  });

  it('has no admin port if it is off', async () => {
    const other = await services.start({ settings: { ADMIN_PORT: 'off' } });
    expect(other.errors).toContain('The console is off.');
    expect(other.adminPort).toBeNaN();
  });

  it('shows critical alerts on /readyz and in the metrics', async () => {
    const other = await services.start({
      settings: { SAMPLE_DATA: 'false', DATA_DIR: join(services.folder, 'no sample') },
    });
    await showsFileChannel(other);
  });
});
