import type { MessageState, Store } from '../../../src/store';
import type { Engine } from '../../../src/store/engine/engine';
import { removeOfPerson } from '../../../src/store/outbox/removal';
import { ENGINES, useDatabase } from '../../harness/test-databases';
import { Calendar } from '../../../src/support/calendar';

const UTC = new Calendar('UTC');
const HOUR = 3_600_000;
const START = Date.parse('2026-03-02T10:00:00Z');
const NOW = START + HOUR;
const STATES = ['queued', 'queued', 'sending', 'sent', 'failed'] as const;

describe.each(ENGINES)('the removal of a person’s messages on %s', (engineName) => {
  const database = useDatabase(engineName);
  let engine: Engine;
  let store: Store;
  beforeEach(async () => {
    store = await database.open();
    engine = database.engine();
  });

  /** Push messages in these states; returns their ids in the same order. */
  async function make(recipient: string, states: readonly MessageState[]): Promise<readonly string[]> {
    const ids: string[] = [];
    for (const state of states) {
      const id = await store.messages.enqueue({
        ...{ channel: 'push', recipient, school: '', payload: { note: '1' }, dedupeKey: null },
        ...{ createdAt: START, expiresAt: START + HOUR },
      });
      await engine.write(({ kysely }) =>
        kysely.updateTable('messages').set({ state }).where('id', '=', id).execute(),
      );
      ids.push(id);
    }
    return ids;
  }
  const remove = (ids: readonly string[], dryRun = false) =>
    engine.write((connection) => removeOfPerson(connection, ids, { dryRun, now: NOW, calendar: UTC }));
  const left = async () =>
    (await store.deliveries.list({}, 99)).map(({ recipient, state }) => `${recipient} ${state}`).toReversed();

  it('deletes finished messages, cancels and deletes waiting ones, and leaves those being sent', async () => {
    const ids = await make('ours', STATES);
    await make('theirs', STATES);
    const theirs = STATES.map((state) => `theirs ${state}`);

    const planned = { messages: 4, cancelled: 2, sending: 1 };
    expect(await remove(ids, true)).toEqual(planned);
    expect(await left()).toEqual([...STATES.map((state) => `ours ${state}`), ...theirs]);

    expect(await remove(ids)).toEqual(planned);
    expect(await left()).toEqual(['ours sending', ...theirs]);
    expect(await remove(ids)).toEqual({ messages: 0, cancelled: 0, sending: 1 });
  });

  it('by several processes at the same time deletes each message once', async () => {
    const ids = await make('ours', ['sent', 'failed', 'sent']);
    const removed = await Promise.all([remove(ids), remove(ids.toReversed()), remove(ids)]);
    expect(removed.reduce((sum, { messages }) => sum + messages, 0)).toBe(3);
    expect(await left()).toEqual([]);
  });
});
