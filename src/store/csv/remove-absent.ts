import { type Kysely, type RawBuilder, sql } from 'kysely';

import { type Database, type Session, takeLock } from '../engine';
import { noteErasure } from '../outbox';
import { CURRENT_DEVICE } from '../queries';
import { CSV_FILES, type CsvFile } from './csv-files';
import type { Removal } from './import-report';
import { absentTable, stagedColumn, stagedTable } from './staging-tables';

/** Of what the schools have in a table, that much goes without being asked twice. */
const MOST_SHARE = 1 / 5;

/** What belongs to a school, and the school's own row apart: in the order in which rows may go. */
const IN_SCHOOLS = CSV_FILES.filter(({ columns }) =>
  columns.some(({ column }) => column === 'school_id'),
).toReversed();

/**
 * Gathers the rows of the schools that the staged files name which the files do not have. Of a file that is not there
 * nothing is gathered, but devices go with their students. Classes stay that still have students.
 */
export async function findAbsent(
  kysely: Kysely<Database>,
  staged: readonly CsvFile[],
): Promise<readonly Removal[]> {
  const urls = staged.flatMap((file) =>
    file.columns
      .filter(({ column }) => column === 'school_id' || column === 'base_url')
      .map(({ column }) => sql`select ${sql.ref(stagedColumn(column))} from ${sql.table(stagedTable(file))}`),
  );
  if (urls.length === 0) return [];
  await sql`create temporary table named_schools as
    select id, base_url from schools where base_url in (${sql.join(urls, sql` union `)})`.execute(kysely);

  const removals: Removal[] = [];
  // What others refer to comes first, as it takes them along.
  for (const file of IN_SCHOOLS.toReversed()) {
    const absence = absenceOf(file, staged);
    const table = sql.table(file.table);
    const absent = sql.table(absentTable(file));
    const keys = file.key.map((column) => sql`${sql.ref(`t.${column}`)} as ${sql.ref(column)}`);
    const owner =
      file.table === 'devices' ? sql`, t.school_id as school_id, t.student_id as student_id` : sql``;
    await sql`create temporary table ${absent} as select ${sql.join(keys)}${owner}
      from ${table} as t join named_schools as sc on sc.id = t.school_id where ${absence}`.execute(kysely);
    const { rows } = await sql<{ absent: number; there: number }>`select
      (select count(*) from ${absent}) as absent,
      (select count(*) from ${table} where school_id in (select id from named_schools)) as there`.execute(
      kysely,
    );
    const { absent: removed = 0, there = 0 } = rows[0] ?? {};
    removals.push({ file: file.file, rows: removed, of: there });
  }
  return removals.filter(({ rows }) => rows > 0);
}

function absenceOf(file: CsvFile, staged: readonly CsvFile[]): RawBuilder<unknown> {
  const isStaged = staged.includes(file);
  const notInFile = isStaged ? sql`not exists (${sameRow(file)})` : sql`false`;
  if (file.table === 'devices') {
    return sql`(${notInFile} or (t.school_id, t.student_id) in (select school_id, id from absent_students))`;
  }
  if (file.table === 'classes') {
    // Where the students are staged, each of them is in a class of the file.
    return staged.some(({ table }) => table === 'students')
      ? notInFile
      : sql`${notInFile} and not exists (select 1 from students
          where students.school_id = t.school_id and students.class_id = t.id)`;
  }
  return notInFile;
}

function sameRow(file: CsvFile): RawBuilder<unknown> {
  const same = file.key.map((column) =>
    column === 'school_id'
      ? sql`s.school_url = sc.base_url`
      : sql`${sql.ref(`s.${column}`)} = ${sql.ref(`t.${column}`)}`,
  );
  return sql`select 1 from ${sql.table(stagedTable(file))} as s where ${sql.join(same, sql` and `)}`;
}

/** Whether so much would go that it may be a mistake, such as a file that was cut. */
export function isTooMuch(removals: readonly Removal[]): boolean {
  return removals.some(({ rows, of }) => rows > of * MOST_SHARE);
}

/**
 * Removes what was gathered, in one transaction: others see all of it, or nothing.
 *
 * @param removals - how much that is
 * @param now - milliseconds since 1970 UTC
 */
export async function removeAbsent(
  session: Session,
  removals: readonly Removal[],
  now: number,
): Promise<void> {
  await session.kysely.transaction().execute(async (transaction) => {
    await takeLock(transaction, session.engine, ['classes', 'students', 'devices', 'notes']);
    for (const file of IN_SCHOOLS) {
      const absent = sql.table(absentTable(file));
      const table = sql.table(file.table);
      const key = sql.join(file.key.map((column) => sql.ref(column)));
      await sql`delete from ${table} where (${key}) in (select ${key} from ${absent})`.execute(transaction);
    }
    await sql`update students set device_id = ${CURRENT_DEVICE}
      from (select distinct school_id, student_id from absent_devices) as a
      where students.school_id = a.school_id and students.id = a.student_id`.execute(transaction);
    const removed = Object.fromEntries(removals.map(({ file, rows }) => [file.replace('.csv', ''), rows]));
    await noteErasure(transaction, { command: 'import', removed, at: now });
  });
}
