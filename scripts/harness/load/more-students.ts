import { DatabaseSync } from '@photostructure/sqlite';
import { Client } from 'pg';

import { BENCH_STUDENTS, DEVICE_DIGITS } from './school-data';

/** Students of each school that is added. */
const SCHOOL = 1_000;

/** How an engine writes what both need. */
interface Dialect {
  /** A table `name` with the numbers from 0 in its column `n`. */
  readonly numbers: (name: string, count: number) => string;
  /** A number with zeros before it. */
  readonly digits: (number: string, width: number) => string;
}

const SQLITE: Dialect = {
  numbers: (name, count) =>
    `(with recursive up(n) as (select 0 union all select n + 1 from up where n < ${String(count - 1)}) select n from up) as ${name}`,
  digits: (number, width) => `printf('%0${String(width)}d', ${number})`,
};
const POSTGRES: Dialect = {
  numbers: (name, count) => `generate_series(0, ${String(count - 1)}) as ${name}(n)`,
  digits: (number, width) => `lpad((${number})::text, ${String(width)}, '0')`,
};

/** Adds schools behind the back of the service until there are so many students, each with a device. */
export function addStudentsSqlite(path: string, students: number): void {
  const database = new DatabaseSync(path);
  database.exec('pragma synchronous = off; pragma cache_size = -400000; pragma foreign_keys = off; begin');
  for (const statement of statements(SQLITE, students)) database.exec(statement);
  database.exec('commit; pragma wal_checkpoint(truncate)');
  database.close();
}

/** Adds the same students to a PostgreSQL database. */
export async function addStudentsPostgres(url: string, students: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  for (const statement of statements(POSTGRES, students)) await client.query(statement);
  // As the server itself does after a while.
  await client.query('vacuum analyze');
  await client.end();
}

function statements({ numbers, digits }: Dialect, students: number): readonly string[] {
  const schools = Math.ceil((students - BENCH_STUDENTS) / SCHOOL);
  if (schools <= 0) return [];
  const url = `'http://more-' || ${digits('school.n', 6)} || '.example'`;
  const student = `'S' || ${digits('pupil.n', 5)}`;
  const device = `'D' || ${digits(`${String(BENCH_STUDENTS)} + school.n * ${String(SCHOOL)} + pupil.n`, DEVICE_DIGITS)}`;
  const each = `from ${numbers('school', schools)} join schools on schools.base_url = ${url} cross join ${numbers('pupil', SCHOOL)}`;
  return [
    `insert into schools (base_url, name) select ${url}, 'Örnek Okulu' from ${numbers('school', schools)}`,
    `insert into students (school_id, id, full_name, show_active, device_id) select schools.id, ${student}, 'Gülşen Öztürk', 'Y', ${device} ${each}`,
    `insert into devices (id, school_id, student_id, token, platform, valid) select ${device}, schools.id, ${student}, 'TOKEN-' || ${device}, 'android', 1 ${each}`,
  ];
}
