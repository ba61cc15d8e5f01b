import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { packageRoot } from '../../test/support/wsdl-files';
import { writeSchoolFiles } from './school-data';

/** What test/support/postgres-cluster.cjs gives. */
interface Cluster {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => void;
}

interface ClusterModule {
  readonly startCluster: (options: { readonly durable: boolean }) => Promise<Cluster | undefined>;
}

type Settings = Readonly<Record<string, string>>;

/** Databases with the schools of the bench, each by the settings that lead the service to it. */
export interface BenchDatabases {
  /** Where files of the run may lie; goes with the databases. */
  readonly folder: string;
  readonly sqlite: Settings;
  /** Undefined where no server is installed. */
  readonly postgres: Settings | undefined;
  /** Process of that server. */
  readonly postgresPid: number | undefined;
  close(): void;
}

/**
 * Makes the databases and loads the schools through `npm run import`'s program. They lie where builds do, on a
 * real disk: the temporary folder of some systems is memory, where a durable write costs nothing.
 */
export async function makeDatabases({ postgres }: { readonly postgres: boolean }): Promise<BenchDatabases> {
  const builds = join(packageRoot(), 'build');
  mkdirSync(builds, { recursive: true });
  const folder = mkdtempSync(join(builds, 'bench-data-'));
  let cluster: Cluster | undefined;
  const close = (): void => {
    cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await writeSchoolFiles(join(folder, 'schools'));
    const sqliteSettings = { DATA_DIR: folder, DATABASE_URL: `sqlite:${join(folder, 'service.db')}` };
    await importSchools(folder, sqliteSettings);
    if (postgres) cluster = await startCluster();
    const postgresSettings = cluster && { DATA_DIR: folder, DATABASE_URL: cluster.url };
    if (postgresSettings !== undefined) await importSchools(folder, postgresSettings);
    return { folder, sqlite: sqliteSettings, postgres: postgresSettings, postgresPid: cluster?.pid, close };
  } catch (error) {
    close();
    throw error;
  }
}

function startCluster(): Promise<Cluster | undefined> {
  // Not compiled, so it is not where a relative import would look for it; it has no types either.
  const path = join(packageRoot(), 'test', 'support', 'postgres-cluster.cjs');
  const { startCluster } = createRequire(__filename)(path) as ClusterModule;
  return startCluster({ durable: true });
}

async function importSchools(folder: string, settings: Settings): Promise<void> {
  const program = join(packageRoot(), 'dist', 'commands', 'import.js');
  await promisify(execFile)(process.execPath, [program, join(folder, 'schools')], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...settings },
  });
}
