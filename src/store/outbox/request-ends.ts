import { sql } from 'kysely';

import { type Connection, Repository, takeLock } from '../engine/engine';
import { hotRead, hotWrite } from '../engine/hot-statement';
import { type EndedState, hasGone, LIVE_STATES, type MessageState } from './messages';
import { type Reason, readReason, reasonColumns } from './reasons';

/** Number of push messages of a request in one state for one reason. */
export interface PushCount {
  readonly state: MessageState;
  readonly reason: Reason | null;
  readonly messages: number;
}

/** Outcome of a SendMarkNotes request, summarized from its push messages. */
export interface RequestEnd {
  readonly id: string;
  readonly state: EndedState;
  /** Largest number first. */
  readonly counts: readonly PushCount[];
  /** Number of students in the class without a device. */
  readonly withoutDevice: number;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

/** A request, with whether any of its push messages is still to be sent. */
interface OpenRequest {
  readonly id: string;
  readonly isUnderWay: boolean;
}

/**
 * Shared lock for ending requests; a retry takes it exclusively, so that no request is ended based on an
 * outdated state.
 */
export const REQUEST_ENDS = 'ends of requests';

/** Number of requests examined at once. */
const OPEN_PAGE = 500;

const PUSHES_OF_REQUEST = hotRead<
  { readonly request: string },
  readonly [state: string, reason: string | null, params: string | null, messages: number]
>(
  'pushes_of_request',
  (param) => sql`select state, reason, reason_params, count(*) from messages
    where request_id = ${param(({ request }) => request)}
    group by state, reason, reason_params order by count(*) desc, state, reason, reason_params`,
);

const END_REQUEST = hotWrite<
  { readonly id: string; readonly state: string; readonly reason: Reason | null; readonly now: number },
  readonly [id: string, withoutDevice: number | null, createdAt: number]
>(
  'end_request',
  (param) => sql`update messages
    set state = ${param(({ state }) => state)},
      reason = ${param(({ reason }) => reasonColumns(reason).reason)},
      reason_params = ${param(({ reason }) => reasonColumns(reason).reason_params)},
      updated_at = ${param.integer(({ now }) => now)}
    where id = ${param(({ id }) => id)} and state = 'open'
    returning id, without_device, created_at`,
);

/** Worded like the index of states, which SQLite would otherwise not use. */
const OPEN_REQUESTS = hotRead<{ readonly after: string }, readonly [id: string, isUnderWay: number]>(
  'open_requests',
  (param) => sql`select id, case when exists (
        select 1 from messages as push
          where push.request_id = request.id and push.state in ('queued', 'sending')
      ) then 1 else 0 end
    from messages as request
    where state = 'open' and state not in ('queued', 'sending') and channel = 'mark'
      and id > ${param(({ after }) => after)}
    order by id limit ${sql.lit(OPEN_PAGE)}`,
);

/** Ends of SendMarkNotes requests that were resolved into push messages. */
export class RequestEnds extends Repository {
  /**
   * Ends those of the given requests that have nothing left to send, in a transaction. Each end is returned
   * once, even with concurrent callers.
   *
   * @param now - milliseconds since 1970 UTC
   */
  async end(ids: readonly string[], now: number): Promise<readonly RequestEnd[]> {
    const { kysely, engine } = this.connection;
    await takeLock(kysely, engine, [REQUEST_ENDS], 'shared');
    const ends: RequestEnd[] = [];
    // The same order everywhere prevents deadlocks.
    for (const id of ids.toSorted()) {
      const counts = await countPushes(this.connection, id);
      if (counts.some(({ state }) => LIVE_STATES.includes(state))) continue;
      const state = endState(counts);
      const [row] = await this.connection.rows(END_REQUEST, { id, state, reason: endReason(counts), now });
      if (row === undefined) continue;
      const [, withoutDevice, createdAt] = row;
      ends.push({ id, state, counts, withoutDevice: withoutDevice ?? 0, createdAt });
    }
    return ends;
  }

  /** Lists resolved requests without an end, oldest first; OPEN_PAGE at most. */
  async openAfter(after: string): Promise<readonly OpenRequest[]> {
    const rows = await this.connection.rows(OPEN_REQUESTS, { after });
    return rows.map(([id, isUnderWay]) => ({ id, isUnderWay: isUnderWay === 1 }));
  }
}

/** Counts the push messages of a request by their current state, largest number first. */
export async function countPushes(connection: Connection, request: string): Promise<readonly PushCount[]> {
  const rows = await connection.rows(PUSHES_OF_REQUEST, { request });
  // Only this program writes the column, from this type.
  return rows.map(([state, reason, params, messages]) => ({
    state: state as MessageState,
    reason: readReason(reason, params),
    messages,
  }));
}

/**
 * Returns the state that all push messages share; if they differ, `partly` if some were sent or written, else
 * `failed`.
 */
function endState(counts: readonly PushCount[]): RequestEnd['state'] {
  const states = new Set(counts.map(({ state }) => state));
  if (states.size > 1) return [...states].some(hasGone) ? 'partly' : 'failed';
  const [only = 'failed'] = states;
  return only === 'queued' || only === 'sending' || only === 'open' ? 'failed' : only;
}

function endReason(counts: readonly PushCount[]): Reason | null {
  if (counts.length === 0) return { code: 'no_devices' };
  const notSent = counts.filter(({ state }) => !hasGone(state));
  const [first, ...others] = notSent;
  if (first === undefined) return null;
  return {
    ...{ code: 'pushes_not_sent', notSent: sum(notSent), pushes: sum(counts) },
    ...{ first: first.reason, others: sum(others) },
  };
}

function sum(counts: readonly PushCount[]): number {
  return counts.reduce((total, { messages }) => total + messages, 0);
}
