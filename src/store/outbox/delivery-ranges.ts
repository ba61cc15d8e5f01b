import { type RawBuilder, sql } from 'kysely';

import type { EngineName } from '../engine';
import type { IdSpan } from './delivery-filter';

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
  /** Whether it must be the newest that are read: not where there is room for all of them. */
  readonly newest: boolean;
}

type RowsOfRanges = (ranges: Ranges, reading: Reading) => RawBuilder<unknown>;

const ID = sql.ref('id');

/**
 * Messages of each range, in such words that each engine reads on in the index from one id to the next. Many ranges
 * are one list of values, and not as many parts of the statement, which would take longer to plan than to answer.
 */
export const ROWS_OF_RANGES: Readonly<Record<EngineName, RowsOfRanges>> = {
  sqlite: ({ columns, values, only }, { what, span: { after, before }, limit, newest }) => {
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
      return sql`select ${what} from messages where ${are((at) => sql`${first[at]}`)} order by id desc limit ${limit}`;
    }
    const areSought = are((at) => sql`sought ->> ${sql.lit(at)}`);
    const all = sql`select ${what} from (select value as sought from json_each(${JSON.stringify(values)}))
      cross join messages where`;
    // A limit in any case, as it keeps conditions outside from coming in. The list of rows costs a look at each.
    return newest
      ? sql`${all} rowid in (select rowid from messages where ${areSought} order by id desc limit ${limit}) limit -1`
      : sql`${all} ${areSought} limit ${limit}`;
  },
  // Values that are only equal would let it read all messages by id, in the hope that it soon meets those with them.
  // Of a lower bound in several columns it stops at the first one alone, so the others are held against what it read.
  postgres: ({ columns, values, only }, { what, span: { after, before }, limit }) => {
    const key = [...columns, ID];
    const rowsOf = (valueAt: (at: number) => RawBuilder<unknown>) => {
      const sought = columns.map((column, at) => sql`${column} = ${valueAt(at)}`);
      const [column = ID] = columns;
      return sql`select ${what} from (
          select * from messages
          where (${sql.join(key)}) < (${sql.join([...columns.map((_, at) => valueAt(at)), sql`${before}`])})
            and ${column} >= ${columns.length === 0 ? sql`${after}` : valueAt(0)} ${only === undefined ? sql`` : sql`and ${only}`}
          order by ${sql.join(key.map((each) => sql`${each} desc`))} limit ${limit}
        ) as in_order where ${sql.join([...sought, sql`id > ${after}`], sql` and `)}`;
    };
    const [first = []] = values;
    if (values.length === 1) return rowsOf((at) => sql`${first[at]}`);
    const lists = columns.map((_, at) => sql`${values.map((each) => each[at])}::text[]`);
    const names = columns.map((_, at) => sql.ref(`value_${String(at)}`));
    return sql`select part.* from unnest(${sql.join(lists)}) as sought (${sql.join(names)})
      cross join lateral (${rowsOf((at) => names[at] ?? ID)}) as part`;
  },
};
