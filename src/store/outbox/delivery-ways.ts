import { type RawBuilder, sql } from 'kysely';

import type { Connection, EngineName } from '../engine';
import { type FilterPart, isFor, isLike, isOneOf, type Question } from './delivery-filter';
import { type Ranges, type Reading, ROWS_OF_RANGES } from './delivery-ranges';
import { MESSAGE_CHANNELS, MESSAGE_STATES, type MessageChannel } from './messages';

/**
 * By an index, the messages for which some parts of the filter hold: either in ranges of the index, each of which has
 * them by id, or in no order.
 */
export interface Way {
  /** What holds for all messages on it. */
  readonly holds: readonly FilterPart[];
  readonly ranges?: readonly Ranges[];
  /** All columns of the messages, where there are no ranges. */
  readonly unordered?: RawBuilder<unknown>;
  /** Whether there are few at any time. */
  readonly areFew?: boolean;
}

export interface RangedWay extends Way {
  readonly ranges: readonly Ranges[];
}

/** All messages, by their key. */
export const ANY_WAY: RangedWay = { holds: [], ranges: [{ columns: [], values: [[]] }] };

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
    ways.push({
      holds: ['phone', ...ifChannel('sms', question)],
      ranges: [ofIds(wholePhones), inColumn('recipient', phone.masked, MASKED)],
    });
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
    ways.push({
      holds: ['student', ...ifChannel('push', question)],
      ranges: [inColumn('recipient', devices, sql`channel = 'push'`)],
    });
  }
  if (reason !== undefined) {
    const reasons = await reasonsLike(connection, reason);
    if (reasons.length <= MOST_REASONS) {
      ways.push({
        holds: ['reason'],
        ranges: [inColumn('last_error', reasons, sql`last_error is not null`)],
      });
    }
  }
  if (school !== undefined) ways.push(bySchool(school, channel === 'mark'));
  if (state !== undefined || channel !== undefined) {
    const states = state === undefined ? MESSAGE_STATES : [state];
    const channels = channel === undefined ? MESSAGE_CHANNELS : [channel];
    ways.push({
      holds: ['state', 'channel'],
      ranges: [
        {
          columns: [sql.ref('state'), sql.ref('channel')],
          values: states.flatMap((inState) => channels.map((ofChannel) => [inState, ofChannel])),
        },
      ],
    });
  }
  return ways;
}

function byClassAndNote(question: Question): readonly Way[] {
  const {
    filter: { classId, note },
    channel,
  } = question;
  if (classId === undefined && note === undefined) return [];
  if (channel === 'push') {
    return [
      {
        holds: ['classId', 'note'],
        unordered: sql`select push.* from (
            select id from messages where ${isFor({ classId, note })}
          ) as request cross join messages as push where push.request_id = request.id`,
      },
    ];
  }
  const way = (part: FilterPart, column: string, value: string): Way => ({
    holds: [part, ...ifChannel('mark', question)],
    ranges: [inColumn(column, [value], OF_REQUESTS)],
  });
  return [
    ...(note === undefined ? [] : [way('note', 'note', note)]),
    ...(classId === undefined ? [] : [way('classId', 'recipient', classId)]),
  ];
}

/** What is of this channel alone holds the channel where that is asked for. */
function ifChannel(of: MessageChannel, { channel }: Question): readonly FilterPart[] {
  return channel === of ? ['channel'] : [];
}

function bySchool(school: string, isOfRequests: boolean): Way {
  return {
    // Other schools may begin alike.
    holds:
      school.length < INDEXED_CHARACTERS ? ['school', ...(isOfRequests ? (['channel'] as const) : [])] : [],
    ranges: [
      {
        columns: [INDEXED_SCHOOL],
        values: [[school.slice(0, INDEXED_CHARACTERS)]],
        only: isOfRequests ? OF_REQUESTS : sql`school <> ''`,
      },
    ],
  };
}

function ofIds(ids: readonly string[]): Ranges {
  return { columns: [], values: ids.length === 0 ? [] : [[]], only: isOneOf('id', ids) };
}

function inColumn(column: string, values: readonly string[], only: RawBuilder<unknown>): Ranges {
  return { columns: [sql.ref(column)], values: values.map((value) => [value]), only };
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

/** How many ranges there are. */
export function countRanges(ranges: readonly Ranges[]): number {
  return ranges.reduce((sum, { values }) => sum + values.length, 0);
}

/** The newest messages of all ranges. */
export function newestOf(
  ranges: readonly Ranges[],
  what: RawBuilder<unknown>,
  { engine, span }: Question,
  limit: number,
): RawBuilder<unknown> {
  const rows = rowsOfAll(engine, ranges, { what, span, limit, newest: true });
  return countRanges(ranges) === 1
    ? rows
    : sql`select ${what} from (${rows}) as merged order by id desc limit ${limit}`;
}

/**
 * Messages on a way, all of them where they are no more than `limit`. With a limit in any case: it keeps the engines
 * from asking for other parts of the filter on the way, and then from another index.
 */
export function rowsOf(
  { ranges, unordered }: Way,
  what: RawBuilder<unknown>,
  { engine, span }: Question,
  limit: number,
): RawBuilder<unknown> {
  return unordered === undefined
    ? rowsOfAll(engine, ranges ?? [], { what, span, limit, newest: false })
    : sql`select ${what} from (${unordered}) as messages where id > ${span.after} and id < ${span.before}
        limit ${limit}`;
}

function rowsOfAll(engine: EngineName, ranges: readonly Ranges[], reading: Reading): RawBuilder<unknown> {
  const rows = ranges
    .filter(({ values }) => values.length > 0)
    .map((each) => ROWS_OF_RANGES[engine](each, reading));
  const [only = sql`select ${reading.what} from messages where 1 = 0`] = rows;
  if (rows.length <= 1) return only;
  return sql.join(
    rows.map((each) => sql`select * from (${each}) as part`),
    sql` union all `,
  );
}
