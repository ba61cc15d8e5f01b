import { CLOSED_PORT, form, get, token11, token12 } from '../../scripts/harness';
import { administer, createPostgresDatabase, dropPostgresDatabase } from '../harness/postgres-databases';
import { useServicesHere } from './use-services-here';

const CODE = get('AuthCodeSending', 'AuthCode', 'code=1&phone=5551112233');

describe('a PostgreSQL that fails', () => {
  const services = useServicesHere();

  it('makes the service unready while PostgreSQL is away', async () => {
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

  it('names the primary in the console', async () => {
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
