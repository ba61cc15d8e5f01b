import { type RawBuilder, sql } from 'kysely';

import type { Connection, Engine } from '../engine/engine';
import type { MessageTable } from '../engine/schema';
import { conditions, FILTER_PARTS, type FilterPart, type Question } from './delivery-filter';
import { directionOf } from './delivery-ranges';
import { ANY_WAY, countRanges, firstOf, rowsOf, type Way, waysTo } from './delivery-ways';

/** So many messages are looked at for one page, and for each way to them: see `npm run bench:find`. */
export const MOST_LOOKED_AT = 10_000;
const UNLIMITED = Number.MAX_SAFE_INTEGER;

const ID = sql.ref('id');
const LISTED = [
  ...(['id', 'channel', 'state', 'recipient', 'school', 'attempts', 'provider_id', 'reason'] as const),
  ...(['reason_params', 'created_at', 'updated_at', 'next_attempt_at', 'expires_at', 'caller'] as const),
  ...(['request_id', 'without_device', 'note'] as const),
] as const;
const COLUMNS = sql.join(LISTED.map((column) => sql.ref(column)));

/** What is listed of a message. */
export type ListedRow = Pick<MessageTable, (typeof LISTED)[number]>;

/** What was found. */
interface Found {
  readonly rows: readonly ListedRow[];
  /** The id from which the next page goes on; undefined where nothing is left to be looked at. */
  readonly next: string | undefined;
}

const off = (setting: string) => [setting, 'off'] as const;

/** Nothing but indexes in their own order, from one table to the next as the statement names them. */
const PLANNER: readonly (readonly [setting: string, value: string])[] = [
  ...(['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin'] as const).map(off),
  ...(['enable_material', 'jit'] as const).map(off),
  ['join_collapse_limit', '1'],
];

/**
 * Reads where PostgreSQL takes indexes whatever it thinks of how values are spread: it thinks of all messages, and the
 * newest may be of another kind. SQLite takes them in any case.
 */
export function byIndexes<T>(engine: Engine, work: (connection: Connection) => Promise<T>): Promise<T> {
  if (engine.name === 'sqlite') return work(engine.direct);
  return engine.write(async (connection) => {
    const settings = PLANNER.map(([setting, value]) => sql`set_config(${setting}, ${value}, true)`);
    await sql`select ${sql.join(settings)}`.execute(connection.kysely);
    return work(connection);
  });
}

const NOTHING: Found = { rows: [], next: undefined };

/**
 * The first messages, in the order of the question, that fulfil all parts of the filter. One way is taken to them, and what it leads to is held
 * against the other parts: the first way that leads to few messages. Where there is none, MOST_LOOKED_AT are looked
 * at on the first way of one range; then there may be fewer than `limit`, and still more on the next page.
 */
export async function search(connection: Connection, question: Question, limit: number): Promise<Found> {
  const ways: readonly Way[] = [...waysTo(question), ANY_WAY];
  const among = (from: RawBuilder<unknown>, held: readonly FilterPart[]) =>
    firstAmong(connection, question, limit, from, held);

  const asked = partsOf(question);
  const exact = ways.find(
    ({ ranges, holds }) => countRanges(ranges) > 0 && asked.every((part) => holds.includes(part)),
  );
  if (exact !== undefined && (await hasFewInNoOrder(connection, question, exact))) {
    return among(firstOf(exact, COLUMNS, question, limit + 1, MOST_LOOKED_AT), exact.holds);
  }
  const walked = ways.find(isOneRange) ?? ANY_WAY;
  let found = NOTHING;
  for (const way of ways) {
    if (way === walked) {
      found = await among(firstOf(walked, COLUMNS, question, MOST_LOOKED_AT), walked.holds);
      if (found.next !== undefined) return found;
      const next = await lastLookedAt(connection, question, walked);
      if (next === undefined) return found;
      found = { ...found, next };
    } else if (way.areFew === true) {
      return among(rowsOf(way, COLUMNS, question, UNLIMITED), way.holds);
    } else {
      const few = await countFew(connection, question, way);
      if (few === 0) return NOTHING;
      if (few !== undefined) return among(rowsOf(way, COLUMNS, question, MOST_LOOKED_AT + 1), way.holds);
    }
  }
  return found;
}

/** Without a next page where there are no more than `limit`. */
async function firstAmong(
  { kysely }: Connection,
  question: Question,
  limit: number,
  from: RawBuilder<unknown>,
  held: readonly FilterPart[],
): Promise<Found> {
  const { rows } = await sql<ListedRow>`select * from (${from}) as messages
    where ${conditions(question, held)} order by id ${directionOf(question.order)} limit ${limit + 1}`.execute(
    kysely,
  );
  return rows.length > limit
    ? { rows: rows.slice(0, limit), next: rows[limit - 1]?.id }
    : { rows, next: undefined };
}

/** To be read on and on: several would have to be merged. */
function isOneRange({ ranges, unordered }: Way): boolean {
  return unordered === undefined && countRanges(ranges) <= 1;
}

/** The last of the messages on a way that are looked at; undefined where those are all. */
async function lastLookedAt(
  { kysely }: Connection,
  question: Question,
  way: Way,
): Promise<string | undefined> {
  const ids = firstOf(way, ID, question, MOST_LOOKED_AT);
  const { rows } = await sql<{ id: string }>`select id from (${ids}) as looked_at
    order by id ${directionOf(question.order)} limit 1 offset ${MOST_LOOKED_AT - 1}`.execute(kysely);
  return rows[0]?.id;
}

/** How many messages a way leads to; undefined where they are more than are looked at. */
async function countFew({ kysely }: Connection, question: Question, way: Way): Promise<number | undefined> {
  const most = MOST_LOOKED_AT + 1;
  const { rows } = await sql<{ messages: number }>`select count(*) as messages
    from (select id from (${rowsOf(way, ID, question, most)}) as led limit ${most}) as few`.execute(kysely);
  const messages = rows[0]?.messages ?? 0;
  return messages < most ? messages : undefined;
}

async function hasFewInNoOrder(
  connection: Connection,
  question: Question,
  { holds, unordered }: Way,
): Promise<boolean> {
  if (unordered === undefined) return true;
  return (await countFew(connection, question, { holds, ranges: [], unordered })) !== undefined;
}

/** The parts of the filter that a way may answer, those that are asked. */
function partsOf({ filter, channel }: Question): readonly FilterPart[] {
  return FILTER_PARTS.filter((part) => (part === 'channel' ? channel : filter[part]) !== undefined);
}
