import { sql } from 'kysely';

import type { Connection } from '../engine/engine';
import type { MessageTable } from '../engine/schema';
import type { Question } from './delivery-filter';

/** Maximum number of messages that one page examines: see `npm run bench:find`. */
export const MOST_LOOKED_AT = 10_000;

const LISTED = [
  ...(['id', 'channel', 'state', 'recipient', 'school', 'attempts', 'provider_id', 'reason'] as const),
  ...(['reason_params', 'created_at', 'updated_at', 'next_attempt_at', 'expires_at', 'caller'] as const),
  ...(['request_id', 'without_device', 'note', 'parts'] as const),
  ...(['receipt', 'receipt_code', 'receipt_at'] as const),
] as const;
const COLUMNS = sql.join(LISTED.map((column) => sql.ref(column)));

const DIRECTIONS = { 'newest first': sql`desc`, 'oldest first': sql`asc` } as const;

/** Columns of a listed message. */
export type ListedRow = Pick<MessageTable, (typeof LISTED)[number]>;

interface Found {
  readonly rows: readonly ListedRow[];
  /** Id from which the next page continues; undefined if nothing is left to examine. */
  readonly next: string | undefined;
}

/**
 * Finds the first messages of a question, in its order. Examines at most MOST_LOOKED_AT of those that the entry point
 * leads to, so a page may contain fewer than `limit` although there are more.
 */
export async function search(connection: Connection, question: Question, limit: number): Promise<Found> {
  const { all, id, order } = question;
  const { oldest, newest, messages } = await lookedAt(connection, question);
  const { rows } = await sql<ListedRow>`select ${COLUMNS} from messages
    where ${all} and ${id} between ${oldest} and ${newest}
    order by ${id} ${DIRECTIONS[order]} limit ${limit + 1}`.execute(connection.kysely);
  if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1]?.id };
  if (messages < MOST_LOOKED_AT) return { rows, next: undefined };
  return { rows, next: order === 'newest first' ? oldest : newest };
}

/** Returns the range of ids that a page examines, and the number of messages in it. */
async function lookedAt({ kysely }: Connection, { entry, id, order }: Question) {
  const { rows } = await sql<{ oldest: string; newest: string; messages: number }>`
    select coalesce(min(id), '') as oldest, coalesce(max(id), '') as newest, count(*) as messages from (
      select id from messages where ${entry} order by ${id} ${DIRECTIONS[order]} limit ${MOST_LOOKED_AT}
    ) as looked_at`.execute(kysely);
  return rows[0] ?? { oldest: '', newest: '', messages: 0 };
}
