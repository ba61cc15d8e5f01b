import { type RawBuilder, sql } from 'kysely';

import { type FilterPart, isFor, isOneOf, type Question, theOnly } from './delivery-filter';
import { directionOf, type Ranges, type Reading, ROWS_OF_RANGES } from './delivery-ranges';
import {
  DEVICE_CHANNELS,
  MESSAGE_CHANNELS,
  type MessageChannel,
  OF_DEVICES,
  OF_TELEPHONES,
  TELEPHONE_CHANNELS,
} from './channels';
import { LIVE_STATES, MESSAGE_STATES, type MessageState } from './messages';

/**
 * By an index, the messages for which some parts of the filter hold: in ranges of the index, each of which has them by
 * id, and those that an index has in no order.
 */
export interface Way {
  /** What holds for all messages on it. */
  readonly holds: readonly FilterPart[];
  readonly ranges: readonly Ranges[];
  /** All columns of the messages; absent where there are none but in ranges. */
  readonly unordered?: RawBuilder<unknown>;
  /** Whether there are few at any time. */
  readonly areFew?: boolean;
}

/** All messages, by their key. */
export const ANY_WAY: Way = { holds: [], ranges: [{ columns: [], values: [[]] }] };

const OF_REQUESTS = sql`channel = 'mark'`;
const MASKED = sql`${OF_TELEPHONES} and recipient like '%...%'`;
const NOT_LIVE = sql`state not in ('queued', 'sending')`;
const INDEXED_SCHOOL = sql`substr(school, 1, 200)`;
const INDEXED_CHARACTERS = 200;

/** The ways to the messages of the filter, those first that usually lead to the fewest. */
export function waysTo(question: Question): readonly Way[] {
  const { filter, channel, wholePhones, devices } = question;
  const { ids, phone, request, student, school, reason, state } = filter;
  const ways: Way[] = [];
  if (ids !== undefined) ways.push({ holds: ['ids'], ranges: [ofIds(ids)] });
  if (phone !== undefined) {
    ways.push({
      holds: ['phone', ...ifChannel(theOnly(TELEPHONE_CHANNELS), question)],
      ranges: [ofIds(wholePhones), inColumn('recipient', phone.masked, MASKED)],
    });
  }
  if (request !== undefined) {
    ways.push({
      holds: ['request'],
      ranges: [],
      unordered: sql`select * from messages where request_id = ${request}`,
      areFew: true,
    });
  }
  ways.push(...byClassAndNote(question));
  if (student !== undefined) {
    ways.push({
      holds: ['student', ...ifChannel(theOnly(DEVICE_CHANNELS), question)],
      ranges: [inColumn('recipient', devices, OF_DEVICES)],
    });
  }
  if (reason !== undefined) {
    ways.push({
      holds: ['reason'],
      ranges: [inColumn('reason', [reason], sql`reason is not null`)],
    });
  }
  if (school !== undefined) ways.push(bySchool(school, channel === 'mark'));
  if (state !== undefined || channel !== undefined) ways.push(byStateAndChannel(state, channel));
  return ways;
}

/** What is queued or under way has indexes of its own, which have it by other than its id. */
function byStateAndChannel(state: MessageState | undefined, channel: MessageChannel | undefined): Way {
  const states = state === undefined ? MESSAGE_STATES : [state];
  const channels = channel === undefined ? MESSAGE_CHANNELS : [channel];
  const isLive = (inState: MessageState) => LIVE_STATES.includes(inState);
  const live = states.filter(isLive).map((inState) => {
    const ofChannel = channel === undefined ? sql`` : sql`and channel = ${channel}`;
    // Spelled out, as the indexes have it.
    return sql`select * from messages where state = ${sql.lit(inState)} ${ofChannel}`;
  });
  return {
    holds: ['state', 'channel'],
    ranges: [
      {
        columns: [sql.ref('state'), sql.ref('channel')],
        values: states
          .filter((inState) => !isLive(inState))
          .flatMap((inState) => channels.map((ofChannel) => [inState, ofChannel])),
        only: NOT_LIVE,
      },
    ],
    ...(live.length > 0 && { unordered: sql.join(live, sql` union all `) }),
  };
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
        ranges: [],
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
function ifChannel(of: MessageChannel | undefined, { channel }: Question): readonly FilterPart[] {
  return of !== undefined && channel === of ? ['channel'] : [];
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

/** How many ranges there are. */
export function countRanges(ranges: readonly Ranges[]): number {
  return ranges.reduce((sum, { values }) => sum + values.length, 0);
}

/** The first messages on a way in the order of the question; of those that it has in no order, there are to be no more than `most`. */
export function firstOf(
  { ranges, unordered }: Way,
  what: RawBuilder<unknown>,
  question: Question,
  limit: number,
  most = limit,
): RawBuilder<unknown> {
  const inOrder = rowsOfRanges(ranges, question, { what, limit, order: question.order });
  if (unordered === undefined && countRanges(ranges) === 1) return unionOf(inOrder);
  const all = unionOf([...inOrder, ...rowsInNoOrder(unordered, question, what, most)]);
  return sql`select ${what} from (${all}) as merged order by id ${directionOf(question.order)} limit ${limit}`;
}

/**
 * Messages on a way, all of them where they are no more than `limit`. With a limit in any case: it keeps the engines
 * from asking for other parts of the filter on the way, and then from another index.
 */
export function rowsOf(
  { ranges, unordered }: Way,
  what: RawBuilder<unknown>,
  question: Question,
  limit: number,
): RawBuilder<unknown> {
  return unionOf([
    ...rowsOfRanges(ranges, question, { what, limit, order: undefined }),
    ...rowsInNoOrder(unordered, question, what, limit),
  ]);
}

function rowsOfRanges(
  ranges: readonly Ranges[],
  { engine, span }: Question,
  reading: Omit<Reading, 'span'>,
): readonly RawBuilder<unknown>[] {
  return ranges
    .filter(({ values }) => values.length > 0)
    .map((each) => ROWS_OF_RANGES[engine](each, { ...reading, span }));
}

function rowsInNoOrder(
  unordered: RawBuilder<unknown> | undefined,
  { span }: Question,
  what: RawBuilder<unknown>,
  limit: number,
): readonly RawBuilder<unknown>[] {
  if (unordered === undefined) return [];
  // No index has this, so that neither engine takes the one of all ids.
  const id = sql`id || ''`;
  return [
    sql`select ${what} from (${unordered}) as messages where ${id} > ${span.after} and ${id} < ${span.before}
      limit ${limit}`,
  ];
}

function unionOf(parts: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const [only = sql`select * from messages where 1 = 0`] = parts;
  if (parts.length <= 1) return only;
  return sql.join(
    parts.map((each) => sql`select * from (${each}) as part`),
    sql` union all `,
  );
}
