import { type RawBuilder, sql } from 'kysely';

import type { Connection } from '../engine/engine';
import type { EngineName } from '../engine/schema';
import { DEVICE_CHANNELS, type MessageChannel, OF_TELEPHONES, TELEPHONE_CHANNELS } from './channels';
import { firstMessageId, type MessageState } from './messages';
import type { ReasonCode } from './reasons';
import { isSamePhone, SentCodes } from './sent-codes';

/** Which messages the operator means; what is absent does not matter. */
export interface DeliveryFilter {
  readonly ids?: readonly string[];
  /** Absent: what the other parts can mean. A class and a note mean requests, unless it is `push`. */
  readonly channel?: MessageChannel;
  readonly state?: MessageState;
  /** Canonical URL. */
  readonly school?: string;
  /** Push messages that were made of this request. */
  readonly request?: string;
  /** Requests for this class, or the push messages that were made of them. */
  readonly classId?: string;
  /** Requests for this note, or the push messages that were made of them. */
  readonly note?: string;
  /** Push messages to the devices that this student has now; of all schools where none is given. */
  readonly student?: string;
  readonly phone?: PhoneFilter;
  readonly reason?: ReasonCode;
  /** Milliseconds since 1970 UTC; by the time in the messages' ids. */
  readonly createdBefore?: number;
  readonly createdAfter?: number;
}

/** Codes for a telephone. */
export interface PhoneFilter {
  /** In E.164, or the bare digits of a number whose country is not known. */
  readonly number: string;
  /** What may be left of the number where it is masked; other numbers may look the same. */
  readonly masked: readonly string[];
}

/** The parts of a filter but the time, which every way to the messages keeps to. */
export const FILTER_PARTS = [
  ...(['ids', 'channel', 'state', 'school', 'request', 'classId', 'note'] as const),
  ...(['student', 'phone', 'reason'] as const),
] as const satisfies readonly (keyof DeliveryFilter)[];
export type FilterPart = (typeof FILTER_PARTS)[number];

interface ForRequests {
  readonly classId?: string | undefined;
  readonly note?: string | undefined;
}

/** Ids between these two, themselves excluded. */
export interface IdSpan {
  readonly after: string;
  readonly before: string;
}

/** From the newest of a span to the oldest, or the other way round. */
export type PageOrder = 'newest first' | 'oldest first';

/** From where messages are read: at most one of the two, the ids of messages that are not read. */
export interface PageStart {
  /** On to older ones. */
  readonly before?: string | undefined;
  /** On to newer ones. */
  readonly after?: string | undefined;
}

/** What the filters ask, with what had to be looked up for it. */
export interface Question {
  readonly engine: EngineName;
  readonly filter: DeliveryFilter;
  readonly channel: MessageChannel | undefined;
  readonly span: IdSpan;
  readonly order: PageOrder;
  /** Codes for the telephone whose number is still whole. */
  readonly wholePhones: readonly string[];
  /** Those that the student has now. */
  readonly devices: readonly string[];
}

/** Behind every id. */
const LAST_ID = '~';

/** Looks up what the conditions need. */
export async function questionOf(
  connection: Connection,
  filter: DeliveryFilter,
  { before = LAST_ID, after = '' }: PageStart = {},
): Promise<Question> {
  const { createdBefore, createdAfter, phone } = filter;
  const alike = phone === undefined ? [] : await new SentCodes(connection).endingLike(phone.number, 0);
  const ofPhone = alike.filter((code) => isSamePhone(code.phone, phone?.number ?? ''));
  const oldest = createdAfter === undefined ? '' : firstMessageId(Math.max(0, createdAfter + 1));
  const youngest = createdBefore === undefined ? LAST_ID : firstMessageId(Math.max(0, createdBefore));
  return {
    engine: connection.engine,
    filter,
    channel: channelOf(filter),
    span: {
      after: oldest > after ? oldest : after,
      before: youngest < before ? youngest : before,
    },
    order: after === '' ? 'newest first' : 'oldest first',
    wholePhones: ofPhone.map(({ id }) => id),
    devices: await devicesOf(connection, filter),
  };
}

function channelOf({ channel, phone, request, student, classId, note }: DeliveryFilter) {
  if (channel !== undefined) return channel;
  if (phone !== undefined) return theOnly(TELEPHONE_CHANNELS);
  if (request !== undefined) return 'push';
  if (student !== undefined) return theOnly(DEVICE_CHANNELS);
  return classId === undefined && note === undefined ? undefined : 'mark';
}

/** Undefined where there are several: then the channel is not known. */
export function theOnly(channels: readonly MessageChannel[]): MessageChannel | undefined {
  return channels.length === 1 ? channels[0] : undefined;
}

/**
 * What a row of `messages` must fulfil.
 *
 * @param held - what rows that were found already fulfil in any case; absent where the conditions are to find them
 */
export function conditions(question: Question, held?: readonly FilterPart[]): RawBuilder<boolean> {
  const { after, before } = question.span;
  const all = [
    ...FILTER_PARTS.filter((part) => held?.includes(part) !== true).map((part) =>
      CONDITIONS[part](question, held === undefined ? REQUEST_AMONG : REQUEST_IS),
    ),
    after === '' ? undefined : sql<boolean>`id > ${after}`,
    before === LAST_ID ? undefined : sql<boolean>`id < ${before}`,
  ].filter((each) => each !== undefined);
  return all.length === 0 ? sql`1 = 1` : sql`${sql.join(all, sql` and `)}`;
}

/** Undefined where it is not asked for. */
const CONDITIONS: Readonly<
  Record<FilterPart, (question: Question, request: RequestOfPush) => RawBuilder<boolean> | undefined>
> = {
  ids: ({ filter: { ids } }) => ids && isOneOf('id', ids),
  channel: ({ channel }) => channel && sql`channel = ${channel}`,
  state: ({ filter: { state } }) => state && sql`state = ${state}`,
  school: ({ filter: { school } }) =>
    // The first two are in the words of the index, which holds the beginnings of long URLs alone.
    school === undefined
      ? undefined
      : sql`school <> '' and substr(school, 1, 200) = ${school.slice(0, 200)} and school = ${school}`,
  request: ({ filter: { request } }) => (request === undefined ? undefined : sql`request_id = ${request}`),
  // Of push messages both at once: one look for the requests of both.
  classId: ({ filter: { classId, note }, channel }, request) => {
    if (classId === undefined) return undefined;
    return channel === 'push' ? request(isFor({ classId, note })) : isFor({ classId });
  },
  note: ({ filter: { classId, note }, channel }, request) => {
    if (note === undefined || (channel === 'push' && classId !== undefined)) return undefined;
    return channel === 'push' ? request(isFor({ note })) : isFor({ note });
  },
  student: ({ filter, devices }) =>
    filter.student === undefined ? undefined : isOneOf('recipient', devices),
  phone: ({ filter: { phone }, wholePhones }) =>
    phone &&
    sql`${OF_TELEPHONES} and (${isOneOf('id', wholePhones)} or ${isOneOf('recipient', phone.masked)})`,
  reason: ({ filter: { reason } }) => (reason === undefined ? undefined : sql`reason = ${reason}`),
};

/** Says of a push message what its request must fulfil. */
type RequestOfPush = (condition: RawBuilder<boolean>) => RawBuilder<boolean>;

const REQUEST_AMONG: RequestOfPush = (condition) =>
  sql`request_id in (select id from messages where ${condition})`;

/** Of each by itself: PostgreSQL might look through all requests of a class for each. */
const REQUEST_IS: RequestOfPush = (condition) =>
  sql`(select ${condition} from messages as request where request.id = messages.request_id)`;

/** A request for this class, this note, or both. */
export function isFor({ classId, note }: ForRequests): RawBuilder<boolean> {
  const all = [
    sql`channel = 'mark'`,
    ...(classId === undefined ? [] : [sql`recipient = ${classId}`]),
    ...(note === undefined ? [] : [sql`note = ${note}`]),
  ];
  return sql`(${sql.join(all, sql` and `)})`;
}

export function isOneOf(column: string, values: readonly string[]): RawBuilder<boolean> {
  return values.length === 0 ? sql`1 = 0` : sql`${sql.ref(column)} in (${sql.join(values)})`;
}

async function devicesOf(
  { kysely }: Connection,
  { student, school }: DeliveryFilter,
): Promise<readonly string[]> {
  if (student === undefined) return [];
  let devices = kysely
    .selectFrom('schools')
    .innerJoin('devices', 'devices.school_id', 'schools.id')
    .select('devices.id')
    .where('devices.student_id', '=', student);
  if (school !== undefined) devices = devices.where('schools.base_url', '=', school);
  return (await devices.execute()).map(({ id }) => id);
}
