import { type RawBuilder, sql } from 'kysely';

import type { Connection } from '../engine/engine';
import type { MessageTable } from '../engine/schema';
import { type MessageChannel, OF_DEVICES, OF_TELEPHONES } from './channels';
import { chosenStates, firstMessageId, LIVE_STATES, type StateChoice } from './messages';
import type { ReasonCode } from './reasons';
import { AWAITED, type ReceiptChoice } from './receipt-states';
import { isSamePhone, PHONE_END, phoneEnd, SentCodes } from './sent-codes';

/** Selects messages; an absent part restricts nothing. */
export interface DeliveryFilter {
  readonly ids?: readonly string[];
  /**
   * Absent: any channel that the other parts allow. A class or a note selects requests, unless this is
   * `push`.
   */
  readonly channel?: MessageChannel;
  /** With `failed_or_expired` and without a channel, mark notes count by their push messages. */
  readonly state?: StateChoice;
  /** Canonical URL. */
  readonly school?: string;
  /** Push messages made from this request. */
  readonly request?: string;
  /** Requests for this class, or the push messages made from them. */
  readonly classId?: string;
  /** Requests for this note, or the push messages made from them. */
  readonly note?: string;
  /** Push messages to the current devices of this student; in all schools unless one is given. */
  readonly student?: string;
  readonly phone?: PhoneFilter;
  readonly reason?: ReasonCode;
  /** Beginning of the hold for which messages expired, in milliseconds since 1970 UTC; `none` for no hold. */
  readonly held?: number | 'none';
  /** SMS through gateways that send receipts. */
  readonly receipt?: ReceiptChoice;
  /** Milliseconds since 1970 UTC; compared with the time in the messages' ids. */
  readonly createdBefore?: number;
  readonly createdAfter?: number;
}

export interface PhoneFilter {
  /** In E.164, or the bare digits of a number without a known country. */
  readonly number: string;
  /** Possible masked forms of the number; other numbers may look the same. */
  readonly masked: readonly string[];
}

/** Start of a page, exclusive: a message id, in at most one of the two. */
export interface PageStart {
  /** Pages to older messages, newest first. */
  readonly before?: string | undefined;
  /** Pages to newer messages. */
  readonly after?: string | undefined;
}

/** SQL conditions of a query on the messages. */
export interface Question {
  /** Condition that an index can use: an entry point, and a range of ids. */
  readonly entry: RawBuilder<boolean>;
  /** Complete condition on a row of `messages`, `entry` included. */
  readonly all: RawBuilder<boolean>;
  /** Sort key. */
  readonly id: RawBuilder<string>;
  readonly order: 'newest first' | 'oldest first';
}

/** A filter with the values that had to be looked up for it. */
interface LookedUp extends Omit<DeliveryFilter, 'phone' | 'student'> {
  /** Recipients of codes for the phone: its number in each spelling, and masked. */
  readonly phone: readonly string[] | undefined;
  /** Current devices of the student. */
  readonly student: readonly string[] | undefined;
}

type Column = (name: string) => RawBuilder<string>;
type Condition = (filter: LookedUp, column: Column) => RawBuilder<boolean> | undefined;

const INDEXED: Column = (name) => sql.ref(name);
/** Worded unlike any index, so that no engine uses an index for it. */
const NOT_INDEXED: Column = (name) => sql`(${sql.ref(name)} || '')`;

/**
 * Entry points: parts of a filter by which an index finds messages, worded like the index. The first one
 * present leads to the messages; without any, the time does, by which ids sort.
 */
const ENTRIES = {
  ids: ({ ids }, column) => ids && isOneOf(column('id'), ids),
  phone: ({ phone }, column) =>
    phone &&
    sql`${OF_TELEPHONES} and ${isOneOf(PHONE_END, [...new Set(phone.map(phoneEnd))])}
      and ${isOneOf(column('recipient'), phone)}`,
  request: ({ request }, column) => isEqual(column('request_id'), request),
  student: ({ student }, column) =>
    student && sql`${OF_DEVICES} and ${isOneOf(column('recipient'), student)}`,
  // The index contains only the beginnings of long URLs, and no codes.
  school: ({ school }, column) =>
    school === undefined
      ? undefined
      : sql`school <> '' and substr(${column('school')}, 1, 200) = ${school.slice(0, 200)}
      and school = ${school}`,
  state: ({ state }, column) => {
    if (state === undefined) return undefined;
    if (isLive(state)) return sql`${column('state')} = ${sql.lit(state)}`;
    const states = chosenStates(state).map((each) => sql.lit(each));
    return sql`${column('state')} in (${sql.join(states)}) and state not in ('queued', 'sending')`;
  },
} as const satisfies Partial<Record<keyof DeliveryFilter, Condition>>;
const ENTRY_NAMES = Object.keys(ENTRIES) as (keyof typeof ENTRIES)[]; // Of an object of these keys.

/** Conditions that are only checked, beside the entry points. */
const OTHERS: readonly Condition[] = [
  ({ channel }, column) => isEqual(column('channel'), channel),
  ({ classId, note, channel, request, student }, column) => {
    if (classId === undefined && note === undefined) return undefined;
    const isFor = [isEqual(column('recipient'), classId), isEqual(column('note'), note)];
    const isRequest = joinConditions([sql`channel = 'mark'`, ...isFor]);
    // A look-up of each request: with a join, PostgreSQL might read all messages.
    const isOfPushes = channel === undefined ? (request ?? student) !== undefined : channel === 'push';
    return isOfPushes
      ? sql`(select ${isRequest} from messages as request where request.id = messages.request_id)`
      : isRequest;
  },
  ({ state, channel }) =>
    state === 'failed_or_expired' && channel === undefined
      ? sql`(reason is null or reason <> 'pushes_not_sent')`
      : undefined,
  ({ reason }, column) => isEqual(column('reason'), reason),
  ({ held }) => {
    if (held === undefined) return undefined;
    return held === 'none'
      ? sql`reason_params is null`
      : sql`reason_params like ${`%"since":${String(held)}%`}`;
  },
  ({ receipt }, column) => isEqual(column('receipt'), receipt === 'none' ? AWAITED : receipt),
];

/** Sorts after every id. */
const LAST_ID = '~';

/** Looks up the values that the conditions need, and builds the conditions. */
export async function toQuestion(
  connection: Connection,
  filter: DeliveryFilter,
  { before = LAST_ID, after = '' }: PageStart = {},
): Promise<Question> {
  const { createdBefore, createdAfter } = filter;
  const oldest = createdAfter === undefined ? '' : firstMessageId(Math.max(0, createdAfter + 1));
  const youngest = createdBefore === undefined ? LAST_ID : firstMessageId(Math.max(0, createdBefore));
  const lookedUp: LookedUp = {
    ...filter,
    phone: await findPhones(connection, filter),
    student: await findDevices(connection, filter),
  };
  const entry = ENTRY_NAMES.find((name) => filter[name] !== undefined);
  const entries = ENTRY_NAMES.filter((name) => name !== entry).map((name) => ENTRIES[name]);
  const others = [...entries, ...OTHERS].map((condition) => condition(lookedUp, NOT_INDEXED));
  // Other entry points lead to few messages, in another order: the index of all ids must not tempt an engine.
  const isWalked = entry === undefined || entry === 'school' || (entry === 'state' && isOneEnd(filter.state));
  const id = (isWalked ? INDEXED : NOT_INDEXED)('id');
  const found = joinConditions([
    entry && ENTRIES[entry](lookedUp, INDEXED),
    sql`${id} > ${oldest > after ? oldest : after} and ${id} < ${youngest < before ? youngest : before}`,
  ]);
  return {
    entry: found,
    all: joinConditions([found, ...others]),
    id,
    order: after === '' ? 'newest first' : 'oldest first',
  };
}

async function findPhones(connection: Connection, { phone }: DeliveryFilter): Promise<LookedUp['phone']> {
  if (phone === undefined) return undefined;
  const alike = await new SentCodes(connection).endingLike(phone.number, 0);
  const spellings = alike.map((code) => code.phone).filter((each) => isSamePhone(each, phone.number));
  return [...new Set(spellings), ...phone.masked];
}

async function findDevices(
  { kysely }: Connection,
  { student, school }: DeliveryFilter,
): Promise<LookedUp['student']> {
  if (student === undefined) return undefined;
  let devices = kysely
    .selectFrom('schools')
    .innerJoin('devices', 'devices.school_id', 'schools.id')
    .select('devices.id')
    .where('devices.student_id', '=', student);
  if (school !== undefined) devices = devices.where('schools.base_url', '=', school);
  return (await devices.execute()).map(({ id }) => id);
}

/** Returns true for one state of ended messages, which its index has in the order of their ids. */
function isOneEnd(state: StateChoice | undefined): boolean {
  return state !== undefined && !isLive(state) && chosenStates(state).length === 1;
}

function isLive(state: StateChoice | undefined): boolean {
  return LIVE_STATES.some((each) => each === state);
}

function joinConditions(all: readonly (RawBuilder<unknown> | undefined)[]): RawBuilder<boolean> {
  const asked = all.filter((each) => each !== undefined);
  return sql`${sql.join(asked, sql` and `)}`;
}

function isEqual(column: RawBuilder<string>, value: string | undefined): RawBuilder<boolean> | undefined {
  return value === undefined ? undefined : sql`${column} = ${value}`;
}

function isOneOf(column: RawBuilder<string>, values: readonly string[]): RawBuilder<boolean> {
  return values.length === 0 ? sql`1 = 0` : sql`${column} in (${sql.join(values)})`;
}

/** Maximum number of messages that one page examines: see `npm run bench:find`. */
export const MAX_LOOKED_AT = 10_000;

const LISTED = [
  ...(['id', 'channel', 'state', 'recipient', 'school', 'attempts', 'provider_id', 'reason'] as const),
  ...(['reason_params', 'created_at', 'updated_at', 'next_attempt_at', 'expires_at', 'caller'] as const),
  ...(['request_id', 'without_device', 'note', 'parts'] as const),
  ...(['receipt', 'receipt_code', 'receipt_at', 'receipt_exact'] as const),
] as const;
const COLUMNS = sql.join(LISTED.map((column) => sql.ref(column)));

/**
 * Columns of a listed message with the ids of devices, classes and notes as imported, where they still are.
 */
const SPELLED_COLUMNS = sql.join(
  LISTED.map((column) => {
    if (column !== 'recipient' && column !== 'note') return sql.ref(column);
    const inSchool = (table: string) => sql`(select named.spelling from ${sql.table(table)} as named
      where named.school_id = (select schools.id from schools where base_url = messages.school)
        and named.id = ${sql.ref(`messages.${column}`)})`;
    const spelling =
      column === 'note'
        ? inSchool('notes')
        : sql`case channel when 'mark' then ${inSchool('classes')}
            when 'push' then (select devices.spelling from devices where devices.id = messages.recipient)
          end`;
    return sql`coalesce(${spelling}, ${sql.ref(column)}) as ${sql.ref(column)}`;
  }),
);

const DIRECTIONS = { 'newest first': sql`desc`, 'oldest first': sql`asc` } as const;

export type ListedRow = Pick<MessageTable, (typeof LISTED)[number]>;

interface FoundMessages {
  readonly rows: readonly ListedRow[];
  /** Id from which the next page continues; undefined if nothing is left to examine. */
  readonly next: string | undefined;
}

/**
 * Finds the first messages of a question, in its order. Examines at most MAX_LOOKED_AT messages that the
 * entry point leads to, so a page may contain fewer than `limit` although there are more.
 *
 * @param hasSpellings - false if every id is stored as imported
 */
export async function search(
  connection: Connection,
  question: Question,
  limit: number,
  hasSpellings: boolean,
): Promise<FoundMessages> {
  const { all, id, order } = question;
  const { oldest, newest, messages } = await lookedAt(connection, question);
  const columns = hasSpellings ? SPELLED_COLUMNS : COLUMNS;
  const { rows } = await sql<ListedRow>`select ${columns} from messages
    where ${all} and ${id} between ${oldest} and ${newest}
    order by ${id} ${DIRECTIONS[order]} limit ${limit + 1}`.execute(connection.kysely);
  if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]?.id };
  if (messages < MAX_LOOKED_AT) return { rows, next: undefined };
  return { rows, next: order === 'newest first' ? oldest : newest };
}

/** Returns the range of ids that a page examines, and the number of messages in it. */
async function lookedAt({ kysely }: Connection, { entry, id, order }: Question) {
  const { rows } = await sql<{ oldest: string; newest: string; messages: number }>`
    select coalesce(min(id), '') as oldest, coalesce(max(id), '') as newest, count(*) as messages from (
      select id from messages where ${entry} order by ${id} ${DIRECTIONS[order]} limit ${MAX_LOOKED_AT}
    ) as looked_at`.execute(kysely);
  return rows[0] ?? { oldest: '', newest: '', messages: 0 };
}
