import { execFileSync } from 'node:child_process';

import { join } from 'node:path';

import { makeRunFolder, packageRoot, ServiceProcess, startPostgresCluster } from '../../scripts/harness';
import { makeTemplates } from './database-templates';

/**
 * Jest's global set-up: a PostgreSQL for the tests, databases to copy, and the compiled program for those that start
 * the service as a process. Jest's workers inherit TEST_DATABASE_URL from this process, with which the server ends.
 */
export default async function setUp(): Promise<void> {
  const database = startDatabase();
  execFileSync('npm', ['run', '--silent', 'build'], { cwd: packageRoot(), stdio: 'inherit' });
  await Promise.all([database.then(makeTemplates), fillCompileCache()]);
}

/** Half of what a service's start takes of the processor is loading its modules; hundreds are started. */
async function fillCompileCache(): Promise<void> {
  const folder = makeRunFolder('compile-cache').path;
  process.env['CHILD_COMPILE_CACHE'] = join(folder, 'modules');
  await (await new ServiceProcess(folder).listening()).stop();
}

async function startDatabase(): Promise<void> {
  if (process.env['TEST_DATABASE_URL']) return;
  // The tests end processes, never the machine.
  const cluster = await startPostgresCluster({ durable: false });
  if (cluster !== undefined) process.env['TEST_DATABASE_URL'] = cluster.url;
  else console.log('PostgreSQL was not tested: TEST_DATABASE_URL is not set and no server is installed.');
}
