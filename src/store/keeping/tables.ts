import { type Kysely, sql } from 'kysely';

import type { Database } from '../engine/schema';
import type { DatabaseSession, TypedColumn } from '../engine/engine';
import { migrate } from '../migrations/migrate';
import { onSqlite } from '../sqlite/sqlite-session';

export interface SchemaTable {
  readonly name: string;
  readonly columns: readonly TypedColumn[];
  /** Columns of the primary key; none for a table that never has more than a few rows. */
  readonly key: readonly string[];
}

/** Tables that operators know: school data and messages. The others are internal. */
export const SCHOOL_TABLES: readonly string[] = [
  ...['schools', 'classes', 'students', 'devices', 'exams', 'exam_entries', 'note_types', 'notes'],
  'messages',
];

/** Tables about the database itself: if all others are empty, the database counts as empty. */
export const OF_DATABASE: readonly string[] = ['new_database', 'marks', 'nodes'];

/**
 * Returns all tables of the schema, each after the tables that it refers to. They are read from a newly
 * created database, so that none can be forgotten.
 */
export function schemaTables(): Promise<readonly SchemaTable[]> {
  return onSqlite(':memory:', async (session) => {
    await migrate(session);
    const { rows } = await COLUMNS.execute(session.kysely);
    const names = new Set(rows.map(({ table }) => table));
    const { rows: references } = await REFERENCES.execute(session.kysely);
    return inOrder([...names], references).map((name): SchemaTable => {
      const columns = rows.filter(({ table }) => table === name);
      return {
        name,
        columns: columns.map(({ column, type }) => ({
          name: column,
          type: /int/i.test(type) ? 'integer' : 'text',
        })),
        key: columns
          .filter(({ key }) => key > 0)
          .toSorted((one, other) => one.key - other.key)
          .map(({ column }) => column),
      };
    });
  });
}

interface Reference {
  readonly table: string;
  readonly to: string;
}

function inOrder(names: readonly string[], references: readonly Reference[]): readonly string[] {
  const ordered: string[] = [];
  const add = (name: string): void => {
    if (ordered.includes(name)) return;
    for (const { table, to } of references) if (table === name) add(to);
    ordered.push(name);
  };
  for (const name of names) add(name);
  return ordered;
}

const TABLES = sql`(select name from sqlite_schema where type = 'table'
  and name not like 'sqlite~_%' escape '~' and name not like 'kysely~_%' escape '~') as t`;

const COLUMNS = sql<{
  readonly table: string;
  readonly column: string;
  readonly type: string;
  readonly key: number;
}>`
  select t.name as "table", c.name as "column", c.type, c.pk as "key" from ${TABLES},
    pragma_table_info(t.name) as c
  order by t.name, c.cid`;

const REFERENCES = sql<Reference>`
  select distinct t.name as "table", f."table" as "to" from ${TABLES}, pragma_foreign_key_list(t.name) as f`;

/** Number of rows of a table. */
export interface TableRows {
  readonly table: string;
  readonly rows: number;
}

/** Returns the rows of the tables that operators do not know, all together. */
export function internalRows(tables: readonly TableRows[]): number {
  return tables
    .filter(({ table }) => !SCHOOL_TABLES.includes(table))
    .reduce((sum, { rows }) => sum + rows, 0);
}

/** Counts the rows of a database that are not about the database itself; 0 for one without tables. */
export async function rowsIn(session: DatabaseSession): Promise<number> {
  const there = await session.kysely.introspection.getTables();
  let rows = 0;
  for (const { name } of await schemaTables()) {
    if (OF_DATABASE.includes(name) || !there.some((table) => table.name === name)) continue;
    rows += await countRows(session.kysely, name);
  }
  return rows;
}

export async function countRows(kysely: Kysely<Database>, table: string): Promise<number> {
  const { rows } = await sql<{ readonly rows: number }>`
    select count(*) as rows from ${sql.table(table)}`.execute(kysely);
  return rows[0]?.rows ?? 0;
}
