import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { atExit, freePort } from '../../scripts/harness';

/** Debian installs it where not everybody looks. */
const PATH = `${process.env['PATH'] ?? ''}:/usr/sbin`;

/** Returns true if PgBouncer is installed. */
export function hasPooler(): boolean {
  return spawnSync('pgbouncer', ['--version'], { env: { PATH } }).status === 0;
}

export interface Pooler {
  /** The database behind it. */
  readonly url: string;
  readonly port: number;
  readonly stop: () => void;
}

/**
 * Starts PgBouncer before the server of a database.
 *
 * @param settings - lines of its file, such as `pool_mode = session`
 */
export async function startPooler(databaseUrl: string, settings: readonly string[]): Promise<Pooler> {
  const url = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'test-pooler-'));
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${url.hostname} port=${url.port} user=${url.username} password=${url.password}`,
    '[pgbouncer]',
    ...[`listen_addr = 127.0.0.1`, `listen_port = ${String(port)}`, 'unix_socket_dir =', 'auth_type = any'],
    ...settings,
  ];
  writeFileSync(file, lines.join('\n'));
  // It does not run as root, and may be another user then.
  chmodSync(folder, 0o755);
  const user = process.getuid?.() === 0 ? ['-u', 'postgres'] : [];
  const pooler = spawn('pgbouncer', ['-q', ...user, file], { stdio: 'ignore', env: { PATH } });
  const stop = atExit(() => {
    pooler.kill('SIGTERM'); // At once, even with open connections.
    rmSync(folder, { recursive: true, force: true });
  });
  while (!(await answers(port))) {
    if (pooler.exitCode !== null) throw new Error('PgBouncer did not start.');
    await delay(10);
  }
  url.port = String(port);
  return { url: url.href, port, stop };
}

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
