import { type RawBuilder, sql } from 'kysely';

import type { Connection, EngineName } from '../engine';
import { type DeliveryFilter, type IdSpan, isFor, isLike, isOneOf, type Question } from './delivery-filter';
import { MESSAGE_CHANNELS, MESSAGE_STATES } from './messages';

export type FilterPart = Exclude<keyof DeliveryFilter, 'createdBefore' | 'createdAfter'>;

export const FILTER_PARTS: readonly FilterPart[] = [
  ...([
    'ids',
    'channel',
    'state',
    'school',
    'request',
    'classId',
    'note',
    'student',
    'phone',
    'reason',
  ] as const),
];

/**
 * By an index, the messages for which some parts of the filter hold: either in ranges of the index, each of which has
 * them by id, or in no order.
 */
export interface Way {
  /** What holds for all messages on it. */
  readonly holds: readonly FilterPart[];
  readonly ranges?: readonly Range[];
  /** All columns of the messages, where there are no ranges. */
  readonly unordered?: RawBuilder<unknown>;
  /** Whether there are few at any time. */
  readonly areFew?: boolean;
}

/** Messages with these values, in an index of these columns and then the id. */
export interface Range {
  readonly columns: readonly RawBuilder<unknown>[];
  readonly values: readonly string[];
  /** What restricts the index, in its own words. */
  readonly only?: RawBuilder<unknown>;
}

/** All messages, by their key. */
export const ANY_WAY: Way = { holds: [], ranges: [{ columns: [], values: [] }] };

/** A text of which there are more reasons tells little, and the index nothing. */
const MOST_REASONS = 100;
const OF_REQUESTS = sql`channel = 'mark'`;
const MASKED = sql`channel = 'sms' and recipient like '%...%'`;
const INDEXED_SCHOOL = sql`substr(school, 1, 200)`;
const INDEXED_CHARACTERS = 200;

/** The ways to the messages of the filter, those first that usually lead to the fewest. */
export async function waysTo(connection: Connection, question: Question): Promise<readonly Way[]> {
  const { filter, channel, wholePhones, devices } = question;
  const { ids, phone, request, student, school, reason, state } = filter;
  const ways: Way[] = [];
  if (ids !== undefined) ways.push({ holds: ['ids'], ranges: [ofIds(ids)] });
  if (phone !== undefined) {
    const masked = phone.masked.map((each) => ({
      columns: [sql.ref('recipient')],
      values: [each],
      only: MASKED,
    }));
    ways.push({ holds: ['phone', 'channel'], ranges: [ofIds(wholePhones), ...masked] });
  }
  if (request !== undefined) {
    ways.push({
      holds: ['request'],
      unordered: sql`select * from messages where request_id = ${request}`,
      areFew: true,
    });
  }
  ways.push(...byClassAndNote(question));
  if (student !== undefined) {
    const ranges = devices.map((device) => ({
      columns: [sql.ref('recipient')],
      values: [device],
      only: sql`channel = 'push'`,
    }));
    ways.push({ holds: ['student', 'channel'], ranges });
  }
  if (reason !== undefined) {
    const reasons = await reasonsLike(connection, reason);
    const ranges = reasons.map((each) => ({
      columns: [sql.ref('last_error')],
      values: [each],
      only: sql`last_error is not null`,
    }));
    if (ranges.length <= MOST_REASONS) ways.push({ holds: ['reason'], ranges });
  }
  if (school !== undefined) ways.push(bySchool(school, channel === 'mark'));
  if (state !== undefined || channel !== undefined) {
    const states = state === undefined ? MESSAGE_STATES : [state];
    const channels = channel === undefined ? MESSAGE_CHANNELS : [channel];
    const ranges = states.flatMap((inState) =>
      channels.map((ofChannel) => ({
        columns: [sql.ref('state'), sql.ref('channel')],
        values: [inState, ofChannel],
      })),
    );
    ways.push({ holds: ['state', 'channel'], ranges });
  }
  return ways;
}

function byClassAndNote({ filter: { classId, note }, channel }: Question): readonly Way[] {
  if (classId === undefined && note === undefined) return [];
  if (channel === 'push') {
    return [
      {
        holds: ['classId', 'note'],
        unordered: sql`select push.* from (
            select id from messages where channel = 'mark' and ${isFor(classId, note)}
          ) as request cross join messages as push where push.request_id = request.id`,
      },
    ];
  }
  const range = (column: string, value: string): readonly Range[] => [
    { columns: [sql.ref(column)], values: [value], only: OF_REQUESTS },
  ];
  return [
    ...(note === undefined ? [] : [{ holds: ['note', 'channel'], ranges: range('note', note) } as const]),
    ...(classId === undefined
      ? []
      : [{ holds: ['classId', 'channel'], ranges: range('recipient', classId) } as const]),
  ];
}

function bySchool(school: string, isOfRequests: boolean): Way {
  return {
    // Other schools may begin alike.
    holds:
      school.length < INDEXED_CHARACTERS ? ['school', ...(isOfRequests ? (['channel'] as const) : [])] : [],
    ranges: [
      {
        columns: [INDEXED_SCHOOL],
        values: [school.slice(0, INDEXED_CHARACTERS)],
        only: isOfRequests ? OF_REQUESTS : sql`school <> ''`,
      },
    ],
  };
}

function ofIds(ids: readonly string[]): Range {
  return { columns: [], values: [], only: isOneOf('id', ids) };
}

/** Every reason that there is and has this part, from one to the next of the index. */
async function reasonsLike({ kysely }: Connection, part: string): Promise<readonly string[]> {
  const next = (after: RawBuilder<unknown>) => sql`(select last_error from messages
    where last_error is not null ${after} order by last_error limit 1)`;
  const { rows } = await sql<{ reason: string }>`with recursive reasons (reason) as (
      select ${next(sql``)}
      union all select ${next(sql`and last_error > reasons.reason`)} from reasons where reason is not null
    )
    select reason from reasons where ${isLike(sql`reason`, part)} limit ${MOST_REASONS + 1}`.execute(kysely);
  return rows.map(({ reason }) => reason);
}

/** The newest messages of all ranges. */
export function newestOf(
  ranges: readonly Range[],
  what: RawBuilder<unknown>,
  question: Question,
  limit: number,
): RawBuilder<unknown> {
  const rows = rowsOfRanges(ranges, what, question, limit);
  return ranges.length === 1
    ? rows
    : sql`select ${what} from (${rows}) as merged order by id desc limit ${limit}`;
}

/**
 * All messages on a way, of each of its ranges the newest ones. With a limit in any case: it keeps the engines from
 * asking for other parts of the filter on the way, and then from another index.
 */
export function rowsOf(
  { ranges, unordered }: Way,
  what: RawBuilder<unknown>,
  question: Question,
  limit: number,
): RawBuilder<unknown> {
  return unordered === undefined
    ? rowsOfRanges(ranges ?? [], what, question, limit)
    : sql`select ${what} from (${unordered}) as messages where id > ${question.span.after} and id < ${question.span.before}
        limit ${limit}`;
}

function rowsOfRanges(
  ranges: readonly Range[],
  what: RawBuilder<unknown>,
  question: Question,
  limit: number,
): RawBuilder<unknown> {
  const rows = ranges.map((range) => rowsOfRange(range, what, question, limit));
  const [only = sql`select ${what} from messages where 1 = 0`] = rows;
  if (rows.length <= 1) return only;
  return sql.join(
    rows.map((each) => sql`select * from (${each}) as part`),
    sql` union all `,
  );
}

function rowsOfRange(
  { columns, values, only }: Range,
  what: RawBuilder<unknown>,
  { engine, span }: Question,
  limit: number,
): RawBuilder<unknown> {
  const { where, order } = AT_INDEX[engine](columns, values, span);
  return sql`select ${what} from messages where ${where} ${only === undefined ? sql`` : sql`and ${only}`}
    order by ${order} limit ${limit}`;
}

type AtIndex = (
  columns: Range['columns'],
  values: Range['values'],
  span: IdSpan,
) => { readonly where: RawBuilder<unknown>; readonly order: RawBuilder<unknown> };

/** In such words that each engine reads on in the index from one id to the next. */
const AT_INDEX: Readonly<Record<EngineName, AtIndex>> = {
  sqlite: (columns, values, { after, before }) => ({
    where: sql.join(
      [...columns.map((column, at) => sql`${column} = ${values[at]}`), sql`id > ${after} and id < ${before}`],
      sql` and `,
    ),
    order: sql`id desc`,
  }),
  // Values that are only equal would let it read all messages by id, in the hope that it soon meets those with them.
  postgres: (columns, values, { after, before }) => {
    const key = [...columns, sql.ref('id')];
    const bound = (id: string) => sql.join([...values, id]);
    return {
      where: sql`(${sql.join(key)}) > (${bound(after)}) and (${sql.join(key)}) < (${bound(before)})`,
      order: sql.join(key.map((column) => sql`${column} desc`)),
    };
  },
};
