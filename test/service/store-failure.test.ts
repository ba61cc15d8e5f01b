import { join } from 'node:path';

import { DatabaseSync } from '../../src/store/sqlite/library';
import { administer, createPostgresDatabase, dropPostgresDatabase } from '../harness/postgres-databases';
import { itOnPostgres } from '../harness/test-databases';
import { form, CLOSED_PORT, get, token11, token12 } from '../../scripts/harness';
import { useServices } from './use-services';

const CODE = get('AuthCodeSending', 'AuthCode', 'code=1&phone=5551112233');

describe('a store that fails', () => {
  const services = useServices();

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

  itOnPostgres('makes the service unready while PostgreSQL is away', async () => {
    const url = await createPostgresDatabase();
    const name = new URL(url).pathname.slice(1);
    try {
      const service = await services.start({ settings: { DATABASE_URL: url } });
      const statuses = async (): Promise<readonly number[]> => {
        const answers = await Promise.all(
          [{ path: '/readyz' }, { path: '/healthz' }, token11('DEV-1'), CODE].map((request) =>
            service.ask(request),
          ),
        );
        return answers.map(({ status }) => status);
      };
      expect(await statuses()).toEqual([200, 200, 200, 200]);

      await administer(`alter database ${name} with allow_connections false`);
      await administer(
        `select pg_terminate_backend(pid, 60000) from pg_stat_activity where datname = '${name}'`,
      );
      expect(await statuses()).toEqual([503, 200, 500, 500]);
      // The contract knows no other status for it, over any binding.
      for (const [request, text] of [
        [token11('DEV-1'), /<faultcode>soap:Server<\/faultcode><faultstring>[^<]*---&gt; An error occurred/],
        [token12('DEV-1'), /<soap:Value>soap:Receiver<\/soap:Value>.*---&gt; An error occurred/],
        [get('PushNotificationMobile', 'GetTokenDevice', 'id=1'), /^An error occurred on the server\.\r\n$/],
        [form('PushNotificationMobile', 'GetTokenDevice', 'id=1'), /^An error occurred on the server\.\r\n$/],
      ] as const) {
        const answer = await service.ask(request);
        expect(answer.status).toBe(500);
        expect(answer.text).toMatch(text);
      }
      await service.line('store unavailable', { level: 'error' });

      await administer(`alter database ${name} with allow_connections true`);
      expect(await statuses()).toEqual([200, 200, 200, 200]);
      await service.line('store available again');
    } finally {
      await dropPostgresDatabase(url);
    }
  });

  itOnPostgres('names the primary in the console', async () => {
    const url = await createPostgresDatabase();
    try {
      const { host } = new URL(url);
      const hosts = `127.0.0.1:${String(CLOSED_PORT)},${host}`;
      const service = await services.start({ settings: { DATABASE_URL: url.replace(host, hosts) } });
      expect((await service.askAdmin({ path: '/settings' })).text).toMatch(
        new RegExp(`PostgreSQL [\\d.]+ [^<]*on ${host}<`),
      );
      await service.stop();
    } finally {
      await dropPostgresDatabase(url);
    }
  });
});
