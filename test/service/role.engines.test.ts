import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { get } from '../../scripts/harness';
import { ENGINES, useDatabase } from '../harness/test-databases';
import { useServicesHere } from './use-services-here';

const CODE = get('AuthCodeSending', 'AuthCode', 'code=84021&phone=%2B905551112233');

describe.each(ENGINES)('on %s, ROLE', (engine) => {
  const services = useServicesHere();
  const database = useDatabase(engine, { holds: 'nothing' });

  it('splits the service: one stores, the other delivers', async () => {
    const settings = { DATABASE_URL: database.url, DATA_DIR: join(services.folder, 'data') };
    const web = await services.start({ settings: { ...settings, ROLE: 'web' } });
    expect((await web.ask(CODE)).status).toBe(200);
    expect(existsSync(join(services.folder, 'data', 'outbox'))).toBe(false);
    await web.stop();
    const worker = await services.start({ settings: { ...settings, ROLE: 'worker' } });
    await worker.line('message', { channel: 'sms', state: 'written' });
    expect((await worker.ask(CODE)).status).toBe(404);
    expect((await worker.ask({ path: '/readyz' })).status).toBe(200);
    await worker.stop();
  });
});
