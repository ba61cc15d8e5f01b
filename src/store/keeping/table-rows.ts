import { createHash } from 'node:crypto';

import { type Kysely, sql } from 'kysely';

import type { Database, SqlValue } from '../engine';
import type { SchemaTable } from './tables';

/** Rows that are in memory at once. */
const PAGE_ROWS = 500;

type Row = readonly SqlValue[];

/**
 * The rows of a table by its key, page by page, the values in the order of the columns. A page begins behind the last
 * key of the one before, which an index finds at once. A table without a key is a page.
 */
export async function* pagesOf(
  kysely: Kysely<Database>,
  { name, columns, key }: SchemaTable,
): AsyncGenerator<readonly Row[], void> {
  const names = columns.map((column) => column.name);
  const keys = sql.join(key.map((column) => sql.ref(column)));
  let after: readonly SqlValue[] | undefined;
  do {
    const { rows } = await sql<Readonly<Record<string, SqlValue>>>`
      select ${sql.join(names.map((column) => sql.ref(column)))} from ${sql.table(name)}
      ${after === undefined ? sql`` : sql`where (${keys}) > (${sql.join(after)})`}
      ${key.length === 0 ? sql`` : sql`order by ${keys} limit ${sql.lit(PAGE_ROWS)}`}`.execute(kysely);
    const page = rows.map((row) => names.map((column) => row[column] ?? null));
    if (page.length > 0) yield key.length === 0 ? inOneOrder(page) : page;
    const last = key.length > 0 && rows.length === PAGE_ROWS ? rows.at(-1) : undefined;
    after = last && key.map((column) => last[column] ?? null);
  } while (after !== undefined);
}

function inOneOrder(rows: readonly Row[]): readonly Row[] {
  const texts = rows.map((row): [string, Row] => [JSON.stringify(row), row]);
  return texts.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other))).map(([, row]) => row);
}

/** The number of a table's rows and a checksum of all their values, of which both engines make the same texts. */
export class TableDigest {
  readonly #hash = createHash('sha256');
  #rows = 0;

  add(rows: readonly Row[]): void {
    for (const row of rows) this.#hash.update(`${JSON.stringify(row)}\n`);
    this.#rows += rows.length;
  }

  end(): { readonly rows: number; readonly checksum: string } {
    return { rows: this.#rows, checksum: this.#hash.digest('hex').slice(0, 16) };
  }
}
