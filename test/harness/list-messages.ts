import type { MessageState, NewMessage, Store } from '../../src/store';
import type { Connection } from '../../src/store/engine/engine';

/** A message as it is stored. */
export interface Message extends Pick<
  NewMessage,
  'channel' | 'recipient' | 'school' | 'createdAt' | 'expiresAt' | 'dedupeKey' | 'caller'
> {
  readonly id: string;
  readonly state: MessageState;
  /** Null once erased. */
  readonly payload: Readonly<Record<string, string>> | null;
  readonly attempts: number;
  readonly nextAttemptAt: number;
}

/** Lists the newest messages first, with what the service itself never reads together. */
export async function listMessages(
  { messages }: Pick<Store, 'messages'>,
  limit: number,
): Promise<readonly Message[]> {
  // Every repository has its connection there, where only the store's own classes may use it.
  const { kysely } = Reflect.get(messages, 'connection') as Connection;
  const rows = await kysely.selectFrom('messages').selectAll().orderBy('id', 'desc').limit(limit).execute();
  return rows.map((row) => ({
    id: row.id,
    // Only the store writes these columns, from these types.
    channel: row.channel as Message['channel'],
    state: row.state as MessageState,
    recipient: row.recipient,
    school: row.school,
    payload: row.payload === null ? null : (JSON.parse(row.payload) as Message['payload']),
    dedupeKey: row.dedupe_key,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    caller: row.caller ?? undefined,
  }));
}
