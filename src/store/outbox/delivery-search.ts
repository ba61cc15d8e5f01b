import { sql } from 'kysely';

import type { Connection } from '../engine/engine';
import type { MessageTable } from '../engine/schema';
import { conditions, type Question } from './delivery-filter';

/** Messages that one page looks at, at most: see `npm run bench:find`. */
export const MOST_LOOKED_AT = 10_000;

const LISTED = [
  ...(['id', 'channel', 'state', 'recipient', 'school', 'attempts', 'provider_id', 'reason'] as const),
  ...(['reason_params', 'created_at', 'updated_at', 'next_attempt_at', 'expires_at', 'caller'] as const),
  ...(['request_id', 'without_device', 'note'] as const),
] as const;
const COLUMNS = sql.join(LISTED.map((column) => sql.ref(column)));

/** What is listed of a message. */
export type ListedRow = Pick<MessageTable, (typeof LISTED)[number]>;

interface Found {
  readonly rows: readonly ListedRow[];
  /** The id from which the next page goes on; undefined where nothing is left to be looked at. */
  readonly next: string | undefined;
}

/**
 * Finds the first messages of a question, in its order. Looks at MOST_LOOKED_AT of those that the entry point leads to;
 * so there may be fewer than `limit`, and still more on the next page.
 */
export async function search(connection: Connection, question: Question, limit: number): Promise<Found> {
  const last = await lastLookedAt(connection, question);
  const { id, order } = question;
  const [direction, isWithin] = order === 'newest first' ? [sql`desc`, sql`>=`] : [sql`asc`, sql`<=`];
  const { rows } = await sql<ListedRow>`select ${COLUMNS} from messages
    where ${conditions(question)} ${last === undefined ? sql`` : sql`and ${id} ${isWithin} ${last}`}
    order by ${id} ${direction} limit ${limit + 1}`.execute(connection.kysely);
  return rows.length > limit
    ? { rows: rows.slice(0, limit), next: rows[limit - 1]?.id }
    : { rows, next: last };
}

/** The last message that is looked at; undefined where all are, or where each that is looked at is meant. */
async function lastLookedAt(
  { kysely }: Connection,
  { entry, others, id, order }: Question,
): Promise<string | undefined> {
  if (others === undefined) return undefined;
  const { rows } = await sql<{ id: string }>`select id from messages where ${entry}
    order by ${id} ${order === 'newest first' ? sql`desc` : sql`asc`}
    limit 1 offset ${MOST_LOOKED_AT - 1}`.execute(kysely);
  return rows[0]?.id;
}
