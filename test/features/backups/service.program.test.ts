import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { openStore } from '../../../src/store';
import { useServices } from '../../service/use-services';

describe('a service with BACKUP_FOLDER', () => {
  const services = useServices();

  it('backs its database up while it runs in several processes', async () => {
    const service = await services.start({
      settings: { BACKUP_FOLDER: '{DATA_DIR}/backups', PROCESSES: '2' },
    });
    const { file } = await service.line('database backup completed');
    const { text } = await service.askAdmin({ path: '/metrics' });
    const [, at] = /^service_last_backup_timestamp_seconds (\d\S+)$/m.exec(text) ?? [];
    expect(Date.now() / 1000 - Number(at)).toBeLessThan(60);
    expect(readdirSync(join(String(file), '..'))).toHaveLength(1);
    const copy = await openStore({ url: `sqlite:${String(file)}` });
    expect(await copy.devices.tokenOf('DEV-1')).toBe('sample-token-01');
    await copy.close();
  });
});
