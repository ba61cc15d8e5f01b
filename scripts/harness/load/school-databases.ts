import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

import { Client } from 'pg';

import { makeRunFolder, type PostgresCluster, startPostgresCluster } from '..';
import { openStore } from '../../../src/store';
import { fillPostgres, fillSqlite, messages } from '../messages';
import { addStudentsPostgres, addStudentsSqlite } from './more-students';
import { BENCH_STUDENTS, writeSchoolFiles } from './school-data';

type Settings = Readonly<Record<string, string>>;

/** A database on each engine, by the settings that lead the service to it. */
interface OnEngines {
  readonly sqlite: Settings;
  /** Undefined where no server is installed. */
  readonly postgres: Settings | undefined;
}

/** Databases with the same schools. */
export interface SchoolDatabases extends OnEngines {
  /** Where files of the run may lie; goes with the databases. */
  readonly folder: string;
  /** Holds a database with finished messages; undefined where none is needed. */
  readonly ended: OnEngines | undefined;
  /** Process of PostgreSQL's server. */
  readonly postgresPid: number | undefined;
  close(): void;
}

export interface DatabaseOptions {
  readonly postgres: boolean;
  /** Messages that came to their end, in databases beside those without; 0 for no such databases. */
  readonly ended?: number;
  /** As many as the bench's schools have, or more. */
  readonly students?: number;
}

/** Makes the databases and imports the schools into them. */
export async function makeDatabases({
  postgres,
  ended = 0,
  students = BENCH_STUDENTS,
}: DatabaseOptions): Promise<SchoolDatabases> {
  const { path: folder, remove } = makeRunFolder('schools-data');
  let cluster: PostgresCluster | undefined;
  const close = (): void => {
    cluster?.stop();
    remove();
  };
  try {
    writeSchoolFiles(join(folder, 'schools'));
    const file = join(folder, 'service.db');
    if (postgres) cluster = await startPostgresCluster();
    const plain = settingsOf(folder, file, cluster?.url);
    await importSchools(folder, `sqlite:${file}`);
    if (cluster !== undefined) await importSchools(folder, cluster.url);
    if (students > BENCH_STUDENTS) {
      addStudentsSqlite(file, students);
      if (cluster !== undefined) await addStudentsPostgres(cluster.url, students);
    }
    const withEnded = ended > 0 ? await copyWithEnded(ended, folder, file, cluster) : undefined;
    return { folder, ...plain, ended: withEnded, postgresPid: cluster?.pid, close };
  } catch (error) {
    close();
    throw error;
  }
}

function settingsOf(folder: string, sqliteFile: string, postgresUrl: string | undefined): OnEngines {
  const settings = (url: string): Settings => ({ DATA_DIR: folder, DATABASE_URL: url });
  return {
    sqlite: settings(`sqlite:${sqliteFile}`),
    postgres: postgresUrl === undefined ? undefined : settings(postgresUrl),
  };
}

async function importSchools(folder: string, url: string): Promise<void> {
  const store = await openStore({ url });
  try {
    await store.importFolder(join(folder, 'schools'));
  } finally {
    await store.close();
  }
}

async function copyWithEnded(
  count: number,
  folder: string,
  file: string,
  cluster: PostgresCluster | undefined,
): Promise<OnEngines> {
  const copy = join(folder, 'ended.db');
  copyFileSync(file, copy);
  fillSqlite(copy, messages(count));
  const url = cluster && (await copyPostgres(cluster, 'ended'));
  if (url !== undefined) await fillPostgres(url, messages(count));
  return settingsOf(folder, copy, url);
}

/** Copies the database of a cluster, and returns the URL of the copy. */
async function copyPostgres({ url }: PostgresCluster, name: string): Promise<string> {
  const at = (database: string): string => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  // Nobody may be connected with what is copied.
  const client = new Client({ connectionString: at('template1') });
  await client.connect();
  await client.query(`create database ${name} template postgres`);
  await client.end();
  return at(name);
}
