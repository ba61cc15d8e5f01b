import { type Kysely, type RawBuilder, sql } from 'kysely';

import type { Database } from './schema';

export type SqlValue = string | number | null;

/** Inserts one of a call's values into the text of a statement. */
export interface Param<Values> {
  <T extends string | null>(read: (values: Values) => T): RawBuilder<T>;
  readonly integer: <T extends number | null>(read: (values: Values) => T) => RawBuilder<T>;
}

/** Text fragments for the calls of a statement that combines several of them. */
interface Calls {
  /** `values (...)`, or its replacement for the rows of all calls. */
  readonly rows: (columns: readonly RawBuilder<SqlValue>[]) => RawBuilder<unknown>;
  /** Follows the `set` of an update: nothing, or all calls. */
  readonly from: RawBuilder<unknown>;
  /** Last column in `returning`: nothing, or the number of the call. */
  readonly at: RawBuilder<unknown>;
}

/**
 * A statement on a hot path: compiled once per process, prepared once per connection. Kysely costs more per
 * call than the database does for such a statement (measured on PostgreSQL: a third of the calls per second).
 */
export interface HotStatement<Values, Row extends readonly SqlValue[]> {
  /** Name of the prepared statement on the server; unique in the program. */
  readonly name: string;
  readonly kind: 'read' | 'write';
  /** The answer has at most one row: SQLite's driver then creates no list. */
  readonly single?: true;
  /**
   * For a read without values: time for which an answer of PostgreSQL is reused, in milliseconds. Changes of
   * what it reads must return that much later than their commit: their callers then never get the earlier
   * answer.
   */
  readonly reusedMs?: number;
  /**
   * A write that can combine several calls, through the fragments that `build` gets. Reads always can. No two
   * of the calls may change the same row.
   */
  readonly gathers?: true;
  /** Builds the text. Only values from `param` may differ between calls; everything else is spelled out. */
  readonly build: (param: Param<Values>, calls: Calls) => RawBuilder<unknown>;
  /** Type of a row of the answer, column by column; has no value. */
  readonly row?: Row;
}

export function hotRead<Values, Row extends readonly SqlValue[]>(
  name: string,
  build: HotStatement<Values, Row>['build'],
  options: Pick<HotStatement<Values, Row>, 'single' | 'reusedMs'> = {},
): HotStatement<Values, Row> {
  return { name, kind: 'read', build, ...options };
}

export function hotWrite<Values, Row extends readonly SqlValue[]>(
  name: string,
  build: HotStatement<Values, Row>['build'],
  options: Pick<HotStatement<Values, Row>, 'gathers'> = {},
): HotStatement<Values, Row> {
  return { name, kind: 'write', build, ...options };
}

export type AnyStatement = HotStatement<never, readonly SqlValue[]>;

export interface CompiledStatement {
  readonly text: string;
  /** Returns the values of a call in the order of the text. */
  readonly bind: (values: unknown) => SqlValue[];
}

/** Placeholder in a compiled query for a value from each call. */
class ParameterPlace {
  constructor(readonly read: (values: never) => SqlValue) {}
}

const NOTHING = sql``;
const ONE_CALL: Calls = {
  rows: (columns) => sql`values (${sql.join(columns)})`,
  from: NOTHING,
  at: NOTHING,
};

export function compileStatement(statement: AnyStatement, db: Kysely<Database>): CompiledStatement {
  const place = (read: (values: never) => SqlValue): RawBuilder<never> => sql`${new ParameterPlace(read)}`;
  const param = Object.assign(place.bind(undefined), { integer: place });
  const { sql: text, parameters } = statement.build(param, ONE_CALL).compile(db);
  const reads = parameters.map((parameter) => {
    if (!(parameter instanceof ParameterPlace)) throw new Error(foreignValue(statement));
    // Connection.rows accepts values of the statement's own type only.
    return parameter.read as (values: unknown) => SqlValue;
  });
  return { text, bind: (values) => reads.map((read) => read(values)) };
}

export interface GatheredStatement {
  readonly text: string;
  /** Returns, for each place in the text, the values of all calls. */
  readonly bind: (calls: readonly unknown[]) => SqlValue[][];
}

/** Marks where the text will refer to several calls whose types are not known yet. */
const CALLS_MARK = '/* calls */';

/**
 * Compiles a PostgreSQL statement for any number of calls, in which each placeholder is an array. The last
 * column of a row is the number of its call, counted from 1; a write without rows returns nothing.
 *
 * @returns undefined if the statement has no values that differ between calls
 */
export function compileGathered(
  statement: AnyStatement,
  db: Kysely<Database>,
): GatheredStatement | undefined {
  const places: { readonly read: (values: unknown) => SqlValue; readonly type: string }[] = [];
  const place =
    (type: string) =>
    (read: (values: never) => SqlValue): RawBuilder<never> => {
      // As above, the values are of the statement's own type.
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
  const { sql: text, parameters } = statement.build(param, several).compile(db);
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
