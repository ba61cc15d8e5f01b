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

type RowsOfRanges = (
  ranges: Ranges,
  what: RawBuilder<unknown>,
  span: IdSpan,
  limit: number,
) => RawBuilder<unknown>;

const ID = sql.ref('id');

/**
 * Of each range the newest messages, in such words that each engine reads on in the index from one id to the next.
 * Many ranges are one list of values, and not as many parts of the statement, which would take longer to plan than
 * to answer.
 */
export const ROWS_OF_RANGES: Readonly<Record<EngineName, RowsOfRanges>> = {
  sqlite: ({ columns, values, only }, what, { after, before }, limit) => {
    const newest = (found: RawBuilder<unknown>, valueAt: (at: number) => RawBuilder<unknown>) =>
      sql`select ${found} from messages where ${sql.join(
        [
          ...columns.map((column, at) => sql`${column} = ${valueAt(at)}`),
          sql`id > ${after} and id < ${before}`,
          ...(only === undefined ? [] : [only]),
        ],
        sql` and `,
      )} order by id desc limit ${limit}`;
    const [first = []] = values;
    if (values.length === 1) return newest(what, (at) => sql`${first[at]}`);
    return sql`select ${what} from (select value as sought from json_each(${JSON.stringify(values)}))
      cross join messages where rowid in (${newest(sql.ref('rowid'), (at) => sql`sought ->> ${sql.lit(at)}`)}) limit -1`;
  },
  // Values that are only equal would let it read all messages by id, in the hope that it soon meets those with them.
  // Of a lower bound in several columns it stops at the first one alone, so the others are held against what it read.
  postgres: ({ columns, values, only }, what, { after, before }, limit) => {
    const key = [...columns, ID];
    const newest = (valueAt: (at: number) => RawBuilder<unknown>) => {
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
    if (values.length === 1) return newest((at) => sql`${first[at]}`);
    const lists = columns.map((_, at) => sql`${values.map((each) => each[at])}::text[]`);
    const names = columns.map((_, at) => sql.ref(`value_${String(at)}`));
    return sql`select part.* from unnest(${sql.join(lists)}) as sought (${sql.join(names)})
      cross join lateral (${newest((at) => names[at] ?? ID)}) as part`;
  },
};
