import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { openStore, type Store } from '../../../src/store';
import { atExit, freePort, writeSchool } from '../../../scripts/harness';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

/** Debian installs it where not everybody looks. */
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`;
const isInstalled = spawnSync('pgbouncer', ['--version'], { env: { PATH } }).status === 0;
const TITLE = 'PgBouncer before PostgreSQL';

(isInstalled ? describeOnPostgres : describe.skip)(
  isInstalled ? TITLE : `${TITLE} (skipped: no PgBouncer)`,
  () => {
    const database = useDatabase('postgres', { per: 'block' });
    const stops: (() => void)[] = [];
    afterEach(() => {
      for (const stop of stops.splice(0)) stop();
    });

    /** @returns the URL of the database behind it */
    async function startPooler(settings: readonly string[]): Promise<string> {
      const url = new URL(database.url);
      const folder = mkdtempSync(join(tmpdir(), 'test-pooler-'));
      const port = await freePort();
      const file = join(folder, 'pgbouncer.ini');
      writeFileSync(
        file,
        [
          '[databases]',
          `* = host=${url.hostname} port=${url.port} user=${url.username} password=${url.password}`,
          '[pgbouncer]',
          ...[
            `listen_addr = 127.0.0.1`,
            `listen_port = ${String(port)}`,
            'unix_socket_dir =',
            'auth_type = any',
          ],
          ...settings,
        ].join('\n'),
      );
      // It does not run as root, and may be another user then.
      chmodSync(folder, 0o755);
      const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
      const pooler = spawn('pgbouncer', ['-q', ...user, file], { stdio: 'ignore', env: { PATH } });
      stops.push(
        atExit(() => {
          pooler.kill('SIGTERM'); // At once, whoever is connected.
          rmSync(folder, { recursive: true, force: true });
        }),
      );
      while (!(await answers(port))) {
        if (pooler.exitCode !== null) throw new Error('PgBouncer did not start.');
        await delay(10);
      }
      url.port = String(port);
      return url.href;
    }

    const claim = ({ outbox }: Store) =>
      outbox.claim({ channel: 'sms', owner: 'w', limit: 1, now: 1, leaseUntil: 2 });

    it('lets through all that the service asks, in the mode for sessions', async () => {
      const url = await startPooler(['pool_mode = session', 'ignore_startup_parameters = statement_timeout']);
      const [store, other] = [await openStore({ url }), await openStore({ url })];
      try {
        await Promise.all([claim(store), claim(other), store.ping()]);
        let end: (() => Promise<void>) | undefined;
        const heard = new Promise((resolve) => (end = other.listen(resolve)));
        // A notification has no receiver until the listener is connected.
        const again = setInterval(() => {
          store.announce('push');
        }, 20);
        await expect(heard).resolves.toBe('push');
        clearInterval(again);
        await end?.();
        await store.importFolder(writeSchool(database.folder, { schools: ['http://a,A'] }));
      } finally {
        await Promise.all([store.close(), other.close()]);
      }
    });

    it('in the mode for transactions is told to be wrong', async () => {
      const settings = ['pool_mode = transaction', 'default_pool_size = 1'];
      const url = await startPooler([...settings, 'ignore_startup_parameters = statement_timeout']);
      const [store, other] = [await openStore({ url }), await openStore({ url })];
      try {
        await claim(store);
        await expect(claim(other)).rejects.toMatchObject({
          trouble: 'unavailable',
          message: expect.stringContaining('Set its pool_mode to session') as string,
        });
      } finally {
        await Promise.all([store.close(), other.close()]);
      }
    });

    it('that does not know what the service sends when it connects is told to', async () => {
      const store = await openStore({ url: await startPooler(['pool_mode = session']) });
      try {
        await expect(store.ping()).rejects.toMatchObject({
          trouble: 'unavailable',
          message: expect.stringContaining(
            'Add statement_timeout to its ignore_startup_parameters',
          ) as string,
        });
      } finally {
        await store.close();
      }
    });
  },
);

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
