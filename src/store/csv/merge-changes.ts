import { type Kysely, type RawBuilder, sql } from 'kysely';

import { type DatabaseSession, takeLock } from '../engine/engine';
import type { Database } from '../engine/schema';
import { wakeMarkRequests } from '../outbox/mark-requests';
import { noteErasure } from '../outbox/retention';
import { CURRENT_DEVICE } from '../queries/devices';
import { noteStudentsChanged, untilVisibleToAll } from '../queries/students-version';
import { CSV_FILES, type CsvFile, writtenColumns } from './csv-files';
import type { Removal } from './import-report';
import type { UndoRecord } from './import-undo';
import { absentTable, changedTable, sameRow, stagedColumn, stagedTable } from './staging-tables';

interface Comparison {
  readonly newRows: number;
  readonly changedRows: number;
}

/** Collects the staged rows that are new or differ from the stored ones, in writing order. */
export async function compareStaged(kysely: Kysely<Database>, file: CsvFile): Promise<Comparison> {
  const changed = sql.table(changedTable(file));
  const inSchool = file.columns.some(({ column }) => column === 'school_id');
  const columns = writtenColumns(file);
  const staged = (column: string) =>
    column === 'school_id' ? sql`sc.id` : sql.ref(`s.${stagedColumn(column)}`);

  const selected = columns.map((column) => sql`${staged(column)} as ${sql.ref(column)}`);
  const sameKey = file.key.map((column) => sql`${sql.ref(`t.${column}`)} = ${staged(column)}`);
  const [anyKey = ''] = file.key;
  const isNew = sql`${sql.ref(`t.${anyKey}`)} is null`;
  const differs = columns
    .filter((column) => !file.key.includes(column))
    .map((column) => sql`${sql.ref(`t.${column}`)} is distinct from ${staged(column)}`);

  await sql`create temporary table ${changed} as
    select ${sql.join(selected)}, case when ${isNew} then 1 else 0 end as is_new
    from ${sql.table(stagedTable(file))} as s
    ${inSchool ? sql`left join schools as sc on sc.base_url = s.school_url` : sql``}
    left join ${sql.table(file.table)} as t on ${sql.join(sameKey, sql` and `)}
    where ${sql.join([isNew, ...differs], sql` or `)}
    order by ${sql.join((file.writtenBy ?? file.key).map(staged))}`.execute(kysely);

  const { rows } = await sql<{ all_rows: number; new_rows: number }>`
    select count(*) as all_rows, coalesce(sum(is_new), 0) as new_rows from ${changed}`.execute(kysely);
  const { all_rows = 0, new_rows = 0 } = rows[0] ?? {};
  return { newRows: new_rows, changedRows: all_rows - new_rows };
}

/** Tables that lists of students are read from. */
const IN_STUDENT_LISTS = new Set<CsvFile['table']>(['students', 'devices']);

/**
 * Writes new and changed rows in one transaction, and lets mark requests that wait for data retry at once.
 *
 * @param now - milliseconds since 1970 UTC
 */
export async function mergeChanges(
  session: DatabaseSession,
  file: CsvFile,
  undo: UndoRecord,
  now: number,
): Promise<void> {
  await session.kysely.transaction().execute(async (transaction) => {
    // Devices change their students' rows too. Everyone who takes both locks takes them in this order.
    const locks = file.table === 'devices' ? (['students', 'devices'] as const) : ([file.table] as const);
    await takeLock(transaction, session.engine, locks);
    if (file.table === 'devices') await rememberOwners(transaction, file);
    await undo.addChanges(transaction, file, changedTable(file), now);
    await writeRows(transaction, file);
    if (file.table === 'devices') await refreshCurrentDevices(transaction, sql`affected_students`);
    await wakeMarkRequests(transaction, session.engine, now);
    if (IN_STUDENT_LISTS.has(file.table)) await noteStudentsChanged(transaction);
  });
  if (IN_STUDENT_LISTS.has(file.table)) await untilVisibleToAll(session.engine);
}

async function writeRows(transaction: Kysely<Database>, file: CsvFile): Promise<void> {
  const columns = writtenColumns(file);
  const names = sql.join(columns.map((column) => sql.ref(column)));
  const updates = columns
    .filter((column) => !file.key.includes(column))
    .map((column) => sql`${sql.ref(column)} = ${sql.ref(`excluded.${column}`)}`);
  if (file.alsoUpdate !== undefined) updates.push(file.alsoUpdate);
  // SQLite needs a where clause before "on conflict", or it takes "on" for a join.
  await sql`insert into ${sql.table(file.table)} (${names})
    select ${names} from ${sql.table(changedTable(file))} where true
    on conflict (${sql.join(file.key.map((column) => sql.ref(column)))})
    do update set ${sql.join(updates)}`.execute(transaction);
}

/** Collects the students whose devices change: those who get one, and those who had it before. */
async function rememberOwners(transaction: Kysely<Database>, file: CsvFile): Promise<void> {
  const changed = sql.table(changedTable(file));
  await sql`create temporary table affected_students as
    select school_id, student_id from ${changed}
    union
    select d.school_id, d.student_id from ${changed} as c join devices as d on d.id = c.id where c.is_new = 0
    `.execute(transaction);
}

async function refreshCurrentDevices(
  transaction: Kysely<Database>,
  affected: RawBuilder<unknown>,
): Promise<void> {
  await sql`update students set device_id = ${CURRENT_DEVICE}
    from ${affected} as a
    where students.school_id = a.school_id and students.id = a.student_id`.execute(transaction);
}

/** Share of a table's rows of the imported schools that may be removed without confirmation. */
const MAX_SHARE = 1 / 5;

/** Files with rows of a school, in deletion order; the school's own row is treated separately. */
const IN_SCHOOLS = CSV_FILES.filter(({ columns }) =>
  columns.some(({ column }) => column === 'school_id'),
).toReversed();

/**
 * Collects the rows of the imported schools that are missing from the files. A missing file removes nothing,
 * except that devices go with their students. Classes stay while they have students.
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
  // Referenced rows first, because removing them removes their dependents.
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
    // If devices are staged, none of them is of an absent student, though it may have been.
    return isStaged
      ? notInFile
      : sql`(t.school_id, t.student_id) in (select school_id, id from absent_students)`;
  }
  if (file.table === 'classes') {
    // If students are staged, each of them is in a class of the file.
    return staged.some(({ table }) => table === 'students')
      ? notInFile
      : sql`${notInFile} and not exists (select 1 from students
          where students.school_id = t.school_id and students.class_id = t.id)`;
  }
  return notInFile;
}

/** Returns true if so much would be removed that it may be a mistake, such as a truncated file. */
export function isTooMuch(removals: readonly Removal[]): boolean {
  return removals.some(({ rows, of }) => rows > of * MAX_SHARE);
}

/**
 * Removes the collected rows in one transaction.
 *
 * @param removals - numbers of rows to remove
 * @param now - milliseconds since 1970 UTC
 */
export async function removeAbsent(
  session: DatabaseSession,
  removals: readonly Removal[],
  undo: UndoRecord,
  now: number,
): Promise<void> {
  await session.kysely.transaction().execute(async (transaction) => {
    await takeLock(transaction, session.engine, ['classes', 'students', 'devices', 'notes']);
    for (const file of IN_SCHOOLS) {
      await undo.addRemovals(transaction, file, absentTable(file), now);
      const absent = sql.table(absentTable(file));
      const table = sql.table(file.table);
      const key = sql.join(file.key.map((column) => sql.ref(column)));
      await sql`delete from ${table} where (${key}) in (select ${key} from ${absent})`.execute(transaction);
    }
    await refreshCurrentDevices(
      transaction,
      sql`(select distinct school_id, student_id from absent_devices)`,
    );
    const removed = Object.fromEntries(removals.map(({ file, rows }) => [file.replace('.csv', ''), rows]));
    await noteErasure(transaction, { command: 'import', removed, at: now });
    await noteStudentsChanged(transaction);
  });
  await untilVisibleToAll(session.engine);
}
