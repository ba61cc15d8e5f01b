import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

import { makeRunFolder, packageRoot, ServiceProcess, startPostgresCluster } from '../../scripts/harness';
import { makeTemplates } from './database-templates';

/** What Linux has of memory as a file system. */
const MEMORY = '/dev/shm';
/** Most that the tests need of it, in bytes. */
const MIN_MEMORY = 4 * 2 ** 30;

/**
 * Jest's global set-up: a PostgreSQL for the tests, databases to copy, a place for keys, and the compiled program for
 * those that start the service as a process. Jest's workers inherit TEST_DATABASE_URL from this process, with which the server ends.
 */
export default async function setUp(): Promise<void> {
  keepFilesInMemory();
  process.env['RSA_KEYS'] = makeRunFolder('rsa-keys').path;
  await Promise.all([startDatabase().then(makeTemplates), build().then(fillCompileCache)]);
}

async function build(): Promise<void> {
  const options = { cwd: packageRoot(), stdio: 'inherit' } as const;
  const [code] = (await once(spawn('npm', ['run', '--silent', 'build'], options), 'exit')) as [number | null];
  if (code !== 0) throw new Error('The service cannot be built.');
}

/**
 * Temporary files lie in memory, where there is some: SQLite waits for the disk at each of thousands of commits, and
 * no test asks what is left when the machine ends.
 */
function keepFilesInMemory(): void {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize >= MIN_MEMORY) process.env['TMPDIR'] = MEMORY;
}

/** Half of what a service's start takes of the processor is loading its modules; hundreds are started. */
export async function fillCompileCache(): Promise<void> {
  const folder = makeRunFolder('compile-cache').path;
  process.env['CHILD_COMPILE_CACHE'] = join(folder, 'modules');
  await (await new ServiceProcess(folder).listening()).stop();
}

async function startDatabase(): Promise<void> {
  if (process.env['TEST_DATABASE_URL']) return;
  // The tests end processes, never the machine.
  const cluster = await startPostgresCluster({ durable: false });
  if (cluster !== undefined) process.env['TEST_DATABASE_URL'] = cluster.url;
  else
    console.log(
      'Skipped on PostgreSQL: every test that runs on each engine. TEST_DATABASE_URL is not set, and no server is installed.',
    );
}
