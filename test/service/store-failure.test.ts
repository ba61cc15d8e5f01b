import { join } from 'node:path';

import { DatabaseSync } from '../../src/store/sqlite/library';
import { get, token11 } from '../../scripts/harness';
import { useServicesHere } from './use-services-here';

describe('a store that fails', () => {
  const services = useServicesHere();

  it('causes a fault without internals and a log line, until it recovers', async () => {
    const service = await services.start();
    // The delivery writes now and then: this connection waits for it as the service does.
    const database = new DatabaseSync(join(services.folder, 'data', 'service.db'), { timeout: 5000 });
    try {
      database.exec('ALTER TABLE devices RENAME TO lost');
      database.exec("DELETE FROM marks WHERE name = 'students'"); // Without it, tokens are not remembered.
      const soap = await service.ask(token11('DEV-1'));
      expect(soap.status).toBe(500);
      expect(soap.text).toContain(
        '<faultstring>Server was unable to process request. ---&gt; An error occurred on the server.</faultstring>',
      );
      expect(soap.text).not.toMatch(/devices|table|sqlite|\.js|\.ts/i);
      expect((await service.ask(get('PushNotificationMobile', 'GetTokenDevice', 'id=1'))).text).toBe(
        'An error occurred on the server.\r\n',
      );
      const line = await service.line('request failed', { operation: 'GetTokenDevice' });
      expect(line).toMatchObject({
        level: 'error',
        outcome: 'server_error',
        status: 500,
        err: { type: 'StoreError' },
      });
      expect(JSON.stringify(line['err'])).toContain('devices');

      database.exec('ALTER TABLE lost RENAME TO devices');
      expect((await service.ask(token11('DEV-1'))).text).toContain('sample-token-01');
    } finally {
      database.close();
    }
  });
});
