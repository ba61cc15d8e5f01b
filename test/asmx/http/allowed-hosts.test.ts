// Beyond the wire contract, section 1: the host names that a server answers to.

import { token11 } from '../../../scripts/harness';
import { useReference } from '../../harness/use-server';

const service = useReference({
  trustProxy: ['127.0.0.1'],
  allowedHosts: ['School.example', '*.district.example', '127.0.0.1', '[::1]'],
});
const WSDL = '/PushNotificationMobile.asmx?wsdl';

describe('with allowed hosts, a request', () => {
  it.each([
    'school.example',
    'SCHOOL.EXAMPLE:8080',
    'school.example.',
    'a.district.example',
    'a.b.district.example:1',
    '127.0.0.1',
    '[::1]:8080',
  ])('is accepted under %s', async (host) => {
    expect((await service.send({ path: WSDL, headers: [['Host', host]] })).status).toBe(200);
  });

  it.each([
    'evil.test',
    'school.example.evil.test',
    '*.district.example',
    'a_b!.district.example',
    'notschool.example',
    'district.example',
    '.district.example',
    '"><script>.district.example',
    'evil.test/.district.example',
    'school.example:x',
    'school.example@evil.test',
    '127.0.0.2',
    '[::2]',
    '"><script>',
  ])('is rejected under %s', async (host) => {
    const answer = await service.send({ path: WSDL, headers: [['Host', host]] });
    expect(answer.status).toBe(400);
    expect(answer.header('Content-Type')).toBe('text/html; charset=utf-8');
    expect(answer.text).not.toContain(host);
  });

  it('is rejected whatever it requests', async () => {
    const host = ['Host', 'evil.test'] as const;
    const call = token11('7');
    for (const request of [
      { path: '/', headers: [host] },
      { path: '/PushNotificationMobile.asmx', headers: [host] },
      { path: '/PushNotificationMobile.asmx/GetTokenDevice?id=1', headers: [host] },
      { ...call, headers: [host, ...(call.headers ?? [])] },
    ])
      expect((await service.send(request)).status).toBe(400);
  });

  it('is checked by the forwarded host if the sender is trusted', async () => {
    const status = async (forwarded: string): Promise<number> => {
      const headers = [['X-Forwarded-Host', forwarded]] as const;
      return (await service.send({ path: WSDL, headers })).status;
    };
    expect(await status('school.example')).toBe(200);
    expect(await status('evil.test')).toBe(400);
  });
});
