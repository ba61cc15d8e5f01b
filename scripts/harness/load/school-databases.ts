import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { childEnvironment, makeRunFolder, type PostgresCluster, PROGRAM, startPostgresCluster } from '..';
import { fillPostgres, fillSqlite, messages } from '../messages';
import { addStudentsPostgres, addStudentsSqlite } from './more-students';
import { BENCH_STUDENTS, writeSchoolFiles } from './school-data';

type Settings = Readonly<Record<string, string>>;

/** Databases with the same schools, each by the settings that lead the service to it. */
export interface SchoolDatabases {
  /** Where files of the run may lie; goes with the databases. */
  readonly folder: string;
  readonly sqlite: Settings;
  /** Undefined where no server is installed. */
  readonly postgres: Settings | undefined;
  /** Process of that server. */
  readonly postgresPid: number | undefined;
  close(): void;
}

export interface DatabaseOptions {
  readonly postgres: boolean;
  /** Messages that came to their end. */
  readonly ended?: number;
  /** As many as the bench's schools have, or more. */
  readonly students?: number;
}

/** Makes the databases and loads the schools through `school-notifications import`'s program. */
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
    const sqliteSettings = { DATA_DIR: folder, DATABASE_URL: `sqlite:${join(folder, 'service.db')}` };
    await importSchools(folder, sqliteSettings);
    if (postgres) cluster = await startPostgresCluster();
    const postgresSettings = cluster && { DATA_DIR: folder, DATABASE_URL: cluster.url };
    if (postgresSettings !== undefined) await importSchools(folder, postgresSettings);
    const file = join(folder, 'service.db');
    if (students > BENCH_STUDENTS) {
      addStudentsSqlite(file, students);
      if (cluster !== undefined) await addStudentsPostgres(cluster.url, students);
    }
    if (ended > 0) {
      fillSqlite(file, messages(ended));
      if (cluster !== undefined) await fillPostgres(cluster.url, messages(ended));
    }
    return { folder, sqlite: sqliteSettings, postgres: postgresSettings, postgresPid: cluster?.pid, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function importSchools(folder: string, settings: Settings): Promise<void> {
  await promisify(execFile)(process.execPath, [PROGRAM, 'import', join(folder, 'schools')], {
    cwd: folder,
    env: childEnvironment(settings),
  });
}
