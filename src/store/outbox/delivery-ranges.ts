import { type RawBuilder, sql } from 'kysely';

import type { EngineName } from '../engine/schema';
import type { IdSpan, PageOrder } from './delivery-filter';

/** Of an index of these columns and then the id, a range for each of the values of these columns. */
export interface Ranges {
  readonly columns: readonly RawBuilder<unknown>[];
  readonly values: readonly (readonly string[])[];
  /** What restricts the index, in its own words. */
  readonly only?: RawBuilder<unknown>;
}

/** What is read of ranges. */
export interface Reading {
  readonly what: RawBuilder<unknown>;
  readonly span: IdSpan;
  /** Most rows of a range. */
  readonly limit: number;
  /** Of which end they must be; undefined where there is room for all of them. */
  readonly order: PageOrder | undefined;
}

type RowsOfRanges = (ranges: Ranges, reading: Reading) => RawBuilder<unknown>;

const ID = sql.ref('id');

/**
 * Messages of each range, in such words that each engine reads on in the index from one id to the next. Many ranges
 * are one list of values, and not as many parts of the statement, which would take longer to plan than to answer.
 */
export const ROWS_OF_RANGES: Readonly<Record<EngineName, RowsOfRanges>> = {
  sqlite: ({ columns, values, only }, { what, span: { after, before }, limit, order }) => {
    const are = (valueAt: (at: number) => RawBuilder<unknown>) =>
      sql.join(
        [
          ...columns.map((column, at) => sql`${column} = ${valueAt(at)}`),
          sql`id > ${after} and id < ${before}`,
          ...(only === undefined ? [] : [only]),
        ],
        sql` and `,
      );
    const [first = []] = values;
    if (values.length === 1) {
      return sql`select ${what} from messages where ${are((at) => sql`${first[at]}`)} order by id ${directionOf(order)} limit ${limit}`;
    }
    const areSought = are((at) => sql`sought ->> ${sql.lit(at)}`);
    const all = sql`select ${what} from (select value as sought from json_each(${JSON.stringify(values)}))
      cross join messages where`;
    // A limit in any case, as it keeps conditions outside from coming in. The list of rows costs a look at each.
    return order === undefined
      ? sql`${all} ${areSought} limit ${limit}`
      : sql`${all} rowid in (
          select rowid from messages where ${areSought} order by id ${directionOf(order)} limit ${limit}
        ) limit -1`;
  },
  // Values that are only equal would let it read all messages by id, in the hope that it soon meets those with them.
  // Of a bound in several columns at the other end it stops at the first one alone, so the others are held against what it read.
  postgres: ({ columns, values, only }, { what, span: { after, before }, limit, order }) => {
    const key = [...columns, ID];
    const [begin, end, isBehind, isWithin] =
      order === 'oldest first' ? [after, before, sql`>`, sql`<=`] : [before, after, sql`<`, sql`>=`];
    const rowsOf = (valueAt: (at: number) => RawBuilder<unknown>) => {
      const sought = columns.map((column, at) => sql`${column} = ${valueAt(at)}`);
      const [column = ID] = columns;
      return sql`select ${what} from (
          select * from messages
          where (${sql.join(key)}) ${isBehind} (${sql.join([...columns.map((_, at) => valueAt(at)), sql`${begin}`])})
            and ${column} ${isWithin} ${columns.length === 0 ? sql`${end}` : valueAt(0)} ${only === undefined ? sql`` : sql`and ${only}`}
          order by ${sql.join(key.map((each) => sql`${each} ${directionOf(order)}`))} limit ${limit}
        ) as in_order where ${sql.join([...sought, sql`id > ${after}`, sql`id < ${before}`], sql` and `)}`;
    };
    const [first = []] = values;
    if (values.length === 1) return rowsOf((at) => sql`${first[at]}`);
    const lists = columns.map((_, at) => sql`${values.map((each) => each[at])}::text[]`);
    const names = columns.map((_, at) => sql.ref(`value_${String(at)}`));
    return sql`select part.* from unnest(${sql.join(lists)}) as sought (${sql.join(names)})
      cross join lateral (${rowsOf((at) => names[at] ?? ID)}) as part`;
  },
};

/** Of a statement: the newest come first where it does not matter. */
export function directionOf(order: PageOrder = 'newest first'): RawBuilder<unknown> {
  return order === 'newest first' ? sql`desc` : sql`asc`;
}
