import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE_ROOT } from '../../scripts/harness';
import { useServicesHere } from './use-services-here';

const PAGE = '/PushNotificationMobile.asmx?op=GetTokenDevice';

describe('the pages of the service', () => {
  const services = useServicesHere();

  it('by default show that it is ready, and offer the test form to callers on the same machine', async () => {
    const service = await services.start();
    const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    const front = await service.ask({ path: '/' });
    for (const text of ['Student Notification and Scheduling', version, '>ready<'])
      expect(front.text).toContain(text);
    expect((await service.ask({ path: PAGE })).text).toContain('id="test-form"');
    expect((await service.ask({ path: PAGE, headers: [['Host', 'any.test']] })).status).toBe(200);
    await service.stop();
  });

  it('follow TEST_FORM, ALLOWED_HOSTS and TRUST_PROXY', async () => {
    const service = await services.start({
      settings: { TEST_FORM: 'off', ALLOWED_HOSTS: 'school.example, *.district.example', TRUST_PROXY: '1' },
    });
    const status = async (host: string): Promise<number> =>
      (await service.ask({ path: PAGE, headers: [['Host', host]] })).status;
    expect(await status('evil.test')).toBe(400);
    expect(await status('a.district.example:8080')).toBe(200);

    const { text } = await service.ask({ path: PAGE, headers: [['X-Forwarded-Host', 'school.example']] });
    expect(text).toContain('http://school.example/PushNotificationMobile.asmx');
    expect(text).not.toContain('test-form');

    // Those who watch the service ask by address.
    expect((await service.ask({ path: '/healthz' })).status).toBe(200);
    await service.stop();
  });
});
