import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';

import type { Database } from './schema';

export type SqlValue = string | number | null;

/** Puts one of a call's values into the text of a statement, where it is called. */
export interface Param<Values> {
  <T extends string | null>(read: (values: Values) => T): RawBuilder<T>;
  readonly integer: <T extends number | null>(read: (values: Values) => T) => RawBuilder<T>;
}

/** The calls of a statement, where its text has to name them: one, or several that are run as one. */
interface Calls {
  /** `values (...)`, or what stands for the rows of all calls. */
  readonly rows: (columns: readonly RawBuilder<SqlValue>[]) => RawBuilder<unknown>;
  /** Behind the `set` of an update: nothing, or all calls. */
  readonly from: RawBuilder<unknown>;
  /** Last in `returning`: nothing, or which call it was. */
  readonly at: RawBuilder<unknown>;
}

/**
 * A statement on a hot path: compiled once per process, prepared once per connection. Kysely costs more per
 * call than the database does for such a statement (measured on PostgreSQL: a third of the calls per second).
 */
export interface HotStatement<Values, Row extends readonly SqlValue[]> {
  /** Names the prepared statement on the server; unique in the program. */
  readonly name: string;
  readonly kind: 'read' | 'write';
  /** The answer has one row at most: SQLite's driver then makes no list. */
  readonly single?: true;
  /**
   * Of a write: its text takes any number of calls, by what `build` is given of them. A read always does. No two calls
   * change the same row.
   */
  readonly gathers?: true;
  /** What changes from call to call comes from `param` alone, and everything else is spelled out in the text. */
  readonly build: (
    db: Kysely<Database>,
    param: Param<Values>,
    calls: Calls,
  ) => { compile(db: Kysely<Database>): CompiledQuery };
  /** Only a type: what a row of the answer holds, column by column. */
  readonly row?: Row;
}

export type AnyStatement = HotStatement<never, readonly SqlValue[]>;

export interface CompiledStatement {
  readonly text: string;
  /** The values of a call in the order in which the text has them. */
  readonly bind: (values: unknown) => SqlValue[];
}

/** Stands in the parameters of a compiled query for a value that each call brings. */
class Place {
  constructor(readonly read: (values: never) => SqlValue) {}
}

const NOTHING = sql``;
const ONE_CALL: Calls = {
  rows: (columns) => sql`values (${sql.join(columns)})`,
  from: NOTHING,
  at: NOTHING,
};

export function compileStatement(statement: AnyStatement, db: Kysely<Database>): CompiledStatement {
  const place = (read: (values: never) => SqlValue): RawBuilder<never> => sql`${new Place(read)}`;
  const param = Object.assign(place.bind(undefined), { integer: place });
  const { sql: text, parameters } = statement.build(db, param, ONE_CALL).compile(db);
  const reads = parameters.map((parameter) => {
    if (!(parameter instanceof Place)) throw new Error(foreignValue(statement));
    // Connection.rows lets a statement be called with values of its own type only.
    return parameter.read as (values: unknown) => SqlValue;
  });
  return { text, bind: (values) => reads.map((read) => read(values)) };
}

export interface GatheredStatement {
  readonly text: string;
  /** Of each place in the text, what several calls bring, one behind the other. */
  readonly bind: (calls: readonly unknown[]) => SqlValue[][];
}

/** Where the text of several calls is to name them, before it is known what they bring. */
const CALLS_MARK = '/* calls */';

/**
 * One statement of PostgreSQL for any number of calls: each place is an array. The last column of its rows says of
 * which call a row is, the first one's being 1; a write without rows says nothing.
 *
 * @returns undefined where the statement is the same for all calls
 */
export function compileGathered(
  statement: AnyStatement,
  db: Kysely<Database>,
): GatheredStatement | undefined {
  const places: { readonly read: (values: unknown) => SqlValue; readonly type: string }[] = [];
  const place =
    (type: string) =>
    (read: (values: never) => SqlValue): RawBuilder<never> => {
      // As above.
      places.push({ read: read as (values: unknown) => SqlValue, type });
      return sql.raw(`calls.v${String(places.length)}`);
    };
  const param = Object.assign(place('text'), { integer: place('bigint') });
  const mark = sql.raw(CALLS_MARK);
  const several: Calls = {
    rows: (columns) => sql`select ${sql.join(columns)} from ${mark}`,
    from: sql`from ${mark}`,
    at: sql`, calls.at`,
  };
  const { sql: text, parameters } = statement.build(db, param, several).compile(db);
  if (parameters.length > 0) throw new Error(foreignValue(statement));
  if (places.length === 0) return undefined;
  const arrays = places.map(({ type }, at) => `$${String(at + 1)}::${type}[]`).join(', ');
  const names = places.map((_, at) => `v${String(at + 1)}`).join(', ');
  const calls = `unnest(${arrays}) with ordinality as calls (${names}, at)`;
  return {
    text:
      statement.kind === 'write'
        ? text.replace(CALLS_MARK, calls)
        : // The offset keeps the server from making something else of it than one look for each call.
          `select one.*, calls.at from ${calls} cross join lateral (${text} offset 0) as one`,
    bind: (values) => places.map(({ read }) => values.map((each) => read(each))),
  };
}

function foreignValue({ name }: AnyStatement): string {
  return `${name} holds a value that is not of the call`;
}
