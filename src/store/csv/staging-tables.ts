import { type Kysely, type RawBuilder, sql } from 'kysely';

import { COLUMN_TYPES, type Database } from '../engine/schema';
import type { DatabaseSession, TypedColumn } from '../engine/engine';
import { CSV_FILES, type CsvFile, hasSpelling, type Reference } from './csv-files';
import { MAX_PROBLEMS, type Problem, type ProblemList, shownValue } from './import-report';

/*
 * Rows are first collected in temporary tables, checked and compared there; then only new and changed rows
 * are written, in one transaction. Reading a file of a million rows takes many seconds, and holding SQLite's
 * write lock that long would stop the service's own writes, which wait 5 s; the last step alone takes under
 * 2 s for a million students.
 */

/**
 * Name of the table with every row of a file as read. A school is given by its URL, because it may be part of
 * the same import.
 */
export function stagedTable({ table }: CsvFile): string {
  return `staged_${table}`;
}

/** Name of the table with the rows of a file that are new or changed. */
export function changedTable({ table }: CsvFile): string {
  return `changed_${table}`;
}

/** Name of the table with the database's rows of the imported schools that the files lack. */
export function absentTable({ table }: CsvFile): string {
  return `absent_${table}`;
}

/** Separates the headers of a key in a problem. */
export const KEY_SEPARATOR = ' + ';

export function stagedColumn(column: string): string {
  return column === 'school_id' ? 'school_url' : column;
}

/** Returns the staged columns, in the order of the values in a row. */
export function stagedColumns(file: CsvFile): readonly TypedColumn[] {
  const own = file.columns.map(({ column, kind }) => ({ name: stagedColumn(column), type: kind.stored }));
  const spelling = hasSpelling(file) ? [{ name: 'spelling', type: 'text' as const }] : [];
  return [{ name: 'line', type: 'integer' }, ...own, ...spelling];
}

export function allEqual(pairs: readonly (readonly [string, string])[]): RawBuilder<unknown> {
  const same = pairs.map(([one, other]) => sql`${sql.ref(one)} = ${sql.ref(other)}`);
  return sql.join(same, sql` and `);
}

/** Selects the staged row with the same key as the stored row `t` of the school `sc`. */
export function sameRow(file: CsvFile): RawBuilder<unknown> {
  const pairs = file.key.map(
    (column) =>
      [`s.${stagedColumn(column)}`, column === 'school_id' ? 'sc.base_url' : `t.${column}`] as const,
  );
  return sql`select 1 from ${sql.table(stagedTable(file))} as s where ${allEqual(pairs)}`;
}

export async function createStagingTable({ kysely, engine }: DatabaseSession, file: CsvFile): Promise<void> {
  const columns = stagedColumns(file).map(
    ({ name, type }) => sql`${sql.ref(name)} ${COLUMN_TYPES[engine][type]}`,
  );
  const table = sql.table(stagedTable(file));
  await sql`create temporary table ${table} (${sql.join(columns)})`.execute(kysely);
}

/** Creates the indexes after loading: sorting once is cheaper than maintaining the order. */
export async function indexStagingTable(kysely: Kysely<Database>, file: CsvFile): Promise<void> {
  const table = stagedTable(file);
  const columns = [...file.key.map(stagedColumn), 'line'].map((column) => sql.ref(column));
  await sql`create index ${sql.id(`${table}_key`)} on ${sql.table(table)} (${sql.join(columns)})`.execute(
    kysely,
  );
}

/**
 * Adds a problem for each staged row whose key occurs earlier in the file, and for each of its references to
 * a row found neither in the database nor in files staged before. A bad cell is null and matches nothing.
 *
 * @param references - references of the file to check
 * @param options.isWholeTruth - rows that the database has beyond the files will be removed, and cannot be
 * referenced
 * @param options.collation - name of the collation by which keys are compared; empty for exactly
 */
export async function checkStaged(
  kysely: Kysely<Database>,
  file: CsvFile,
  references: readonly Reference[],
  staged: readonly CsvFile[],
  problems: ProblemList,
  { isWholeTruth, collation }: { readonly isWholeTruth: boolean; readonly collation: string },
): Promise<void> {
  const bad = sql.table(`bad_${file.table}`);
  // Number 0 is a repeated key, the others are the references in order.
  const checks = [
    repeatedKeys(file),
    ...references.map((reference, at) => missing(file, reference, at + 1, staged, isWholeTruth)),
  ];
  // Of an unknown school and an unknown row of that school, only the first is reported.
  await sql`create temporary table ${bad} as
    select line, problem, first_line, value from (
      select line, problem, first_line, value,
        row_number() over (partition by line, topic order by problem) as place
      from (${sql.join(checks, sql` union all `)}) as found
    ) as ranked where place = 1`.execute(kysely);

  const { rows: counted } = await sql<{ count: number }>`select count(*) as count from ${bad}`.execute(
    kysely,
  );
  const { rows } = await sql<{ line: number; problem: number; first_line: number | null; value: string }>`
    select line, problem, first_line, value from ${bad}
    order by line, problem limit ${sql.lit(MAX_PROBLEMS)}`.execute(kysely);
  const keys = file.columns.filter(({ column }) => file.key.includes(column));
  problems.add(
    rows.map(({ line, problem, first_line, value }): Problem => {
      const { header, reason } = references[problem - 1] ?? {
        header: keys.map((column) => column.header).join(KEY_SEPARATOR),
        reason: `duplicate of line ${String(first_line)}${collation === '' ? '' : ` by ${collation}`}`,
      };
      const column = file.columns.find((each) => each.header === header) ?? keys.at(-1);
      return {
        file: file.file,
        line,
        column: header,
        value: column === undefined ? '' : shownValue(column, value),
        reason,
      };
    }),
    counted[0]?.count ?? 0,
  );
}

function repeatedKeys(file: CsvFile): RawBuilder<unknown> {
  const staged = sql.table(stagedTable(file));
  const names = file.key.map(stagedColumn);
  const columns = sql.join(names.map((name) => sql.ref(name)));
  return sql`
    select s.line as line, 0 as problem, 0 as topic, d.first_line as first_line,
      ${sql.ref(`s.${names.at(-1) ?? ''}`)} as value
    from (select ${columns}, min(line) as first_line from ${staged}
      group by ${columns} having count(*) > 1) as d
    join ${staged} as s on ${allEqual(names.map((name) => [`s.${name}`, `d.${name}`]))}
    where s.line <> d.first_line`;
}

function missing(
  file: CsvFile,
  reference: Reference,
  problem: number,
  staged: readonly CsvFile[],
  isWholeTruth: boolean,
): RawBuilder<unknown> {
  const parent = staged.find((other) => other.file === reference.file);
  const inImport = parent === undefined ? sql`false` : sql`exists (${stagedParents(parent, reference)})`;
  const replaces = isWholeTruth && parent?.columns.some(({ column }) => column === 'school_id') === true;
  const isStored = replaces ? sql`false` : sql`exists (${storedParents(reference)})`;
  const own = Object.keys(reference.columns);
  const named = own.map((column) => sql`${ownColumn(column)} is not null`);
  const topic = own.includes('school_id') ? 1 : problem + 1;
  return sql`
    select s.line as line, ${sql.lit(problem)} as problem, ${sql.lit(topic)} as topic, null as first_line,
      ${ownColumn(own.at(-1) ?? '')} as value
    from ${sql.table(stagedTable(file))} as s
    where ${sql.join(named, sql` and `)}
    and not ${isStored} and not ${inImport}`;
}

function stagedParents(parent: CsvFile, { columns }: Reference): RawBuilder<unknown> {
  const pairs = Object.entries(columns).map(
    ([own, other]) => [`p.${stagedColumn(other)}`, `s.${stagedColumn(own)}`] as const,
  );
  return sql`select 1 from ${sql.table(stagedTable(parent))} as p where ${allEqual(pairs)}`;
}

/**
 * Selects referenced rows with the school's URL: other tables contain its number, and only `schools` the URL.
 */
function storedParents({ file, columns }: Reference): RawBuilder<unknown> {
  const inSchool = Object.values(columns).includes('school_id');
  const pairs = Object.entries(columns).map(
    ([own, other]) =>
      [other === 'school_id' ? 'sc.base_url' : `p.${other}`, `s.${stagedColumn(own)}`] as const,
  );
  const table = sql.table(tableOf(file));
  return sql`select 1 from ${table} as p
    ${inSchool ? sql`join schools as sc on sc.id = p.school_id` : sql``}
    where ${allEqual(pairs)}`;
}

function ownColumn(column: string): RawBuilder<unknown> {
  return sql.ref(`s.${stagedColumn(column)}`);
}

function tableOf(name: string): string {
  const found = CSV_FILES.find(({ file }) => file === name);
  if (found === undefined) throw new Error(`A reference names ${name}, which is none of the CSV files`);
  return found.table;
}
