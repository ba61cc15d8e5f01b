import { join } from 'node:path';

import { form } from '../../scripts/harness';
import { DatabaseSync } from '../../src/store/sqlite/library';
import { beginRequest } from './begin-request';
import { useServices } from './use-services';

describe('a stop', () => {
  const services = useServices();

  it('that cannot close its store in time reports it, and exits with 1', async () => {
    const service = await services.start({ settings: { ROLE: 'web', REQUEST_TIMEOUT_SECONDS: '2' } });
    const other = new DatabaseSync(join(services.folder, 'data', 'service.db'), { timeout: 5000 });
    try {
      other.exec('begin immediate'); // Now every write waits, and with it the end of the store.
      const request = form('AuthCodeSending', 'AuthCode', 'code=1&phone=5551112233');
      const { connection, rest } = await beginRequest(service, { request });
      connection.write(rest);
      service.signal('SIGTERM');
      expect(await service.ended()).toEqual({ code: 1, signal: null });
      expect(await connection.readUntilClosed()).toHaveLength(0);
      await service.line('aborted requests that did not finish in time');
      await service.line('not stopped in time', { level: 'error', seconds: 2 });
      expect(service.output).not.toContain('"msg":"stopped"');
    } finally {
      other.close();
    }
  });
});
