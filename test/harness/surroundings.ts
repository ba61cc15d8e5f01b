import { execFileSync } from 'node:child_process';
import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

import { makeRunFolder, PACKAGE_ROOT, startPostgresCluster } from '../../scripts/harness';
import { makePostgresTemplates, makeSqliteTemplates } from './database-templates';

/** Linux's file system in memory. */
const MEMORY = '/dev/shm';
/** Most that the tests need of it, in bytes. */
const MIN_MEMORY = 4 * 2 ** 30;

/**
 * Prepares what the tests of every project need. Several projects of one run share it: the first one prepares it. Jest's
 * workers inherit the environment of this process.
 */
export async function prepareFiles(): Promise<void> {
  if (process.env['RSA_KEYS'] !== undefined) return;
  keepFilesInMemory();
  process.env['RSA_KEYS'] = makeRunFolder('rsa-keys').path;
  await makeSqliteTemplates();
}

/** Compiles the program where its source has changed. */
export function buildProgram(): void {
  execFileSync(process.execPath, [join(PACKAGE_ROOT, 'scripts', 'build.cjs')], { stdio: 'inherit' });
}

/** Starts a PostgreSQL that ends with this process, unless TEST_DATABASE_URL names one. */
export async function prepareDatabases(): Promise<void> {
  await prepareFiles();
  if (!process.env['TEST_DATABASE_URL']) {
    // The tests end processes, never the machine.
    const cluster = await startPostgresCluster({ durable: false });
    if (cluster === undefined) throw new Error('The tests of the project "databases" need PostgreSQL.');
    process.env['TEST_DATABASE_URL'] = cluster.url;
  }
  await makePostgresTemplates();
}

/**
 * Keeps temporary files in memory, where there is room: SQLite waits for the disk at each of thousands of commits, and
 * no test asks what is left when the machine ends.
 */
function keepFilesInMemory(): void {
  if (process.env['TMPDIR'] !== undefined || !existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  if (bavail * bsize >= MIN_MEMORY) process.env['TMPDIR'] = MEMORY;
}
