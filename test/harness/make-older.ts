import type { Engine } from '../../src/store/engine/engine';
import { firstMessageId } from '../../src/store/outbox/messages';

/**
 * Makes a message as old as if it had been created at a time, also earlier than others: ids that one process makes never
 * run back.
 *
 * @param at - milliseconds since 1970 UTC
 * @returns its new id
 */
export async function makeOlder(engine: Engine, id: string, at: number): Promise<string> {
  const earlier = `${firstMessageId(at)}${id.slice(firstMessageId(at).length)}`;
  await engine.session(({ kysely }) =>
    kysely.updateTable('messages').set({ id: earlier, created_at: at }).where('id', '=', id).execute(),
  );
  return earlier;
}
