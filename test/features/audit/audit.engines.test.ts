import type { Action } from '../../../src/admin/login/actions';
import { Audit, type AuditFilter } from '../../../src/features/audit/audit';
import type { Store } from '../../../src/store';
import { ENGINES, useDatabase } from '../../harness/test-databases';

/** Ids never go back within a process, so the entries of each test are later than those before. */
let start = 0;

describe.each(ENGINES)('the audit records on %s', (engine) => {
  const database = useDatabase(engine);
  let store: Store;
  let entries: readonly Action[];
  beforeEach(async () => {
    start += 1000;
    entries = [
      { at: start + 1, who: 'ben', action: 'log-in', detail: {} },
      { at: start + 2, who: 'anna', action: 'retry', detail: { channel: 'sms', messages: 2 } },
      { at: start + 3, who: 'anna', action: 'log-in', detail: { address: '127.0.0.1' } },
    ];
    store = await database.open();
    await store.write(async (transaction) => {
      for (const entry of entries) await transaction.repository(Audit).add(entry);
    });
  });
  const listed = async (filter: AuditFilter, limit = 9) =>
    (await store.repository(Audit).list(filter, limit)).map(({ at }) => at - start);

  it('are listed as they were added, newest first, up to a limit', async () => {
    expect(await store.repository(Audit).list({}, 9)).toMatchObject(entries.toReversed());
    expect(await listed({}, 2)).toEqual([3, 2]);
  });

  it.each<[string, () => AuditFilter, readonly number[]]>([
    ['a person', () => ({ who: 'anna' }), [3, 2]],
    ['an action', () => ({ action: 'log-in' }), [3, 1]],
    ['their time from a moment on', () => ({ from: start + 2 }), [3, 2]],
    ['their time before a moment', () => ({ until: start + 2 }), [1]],
    ['all of these together', () => ({ who: 'anna', action: 'log-in', from: start, until: start + 9 }), [3]],
  ])('are listed by %s', async (_, filter, expected) => {
    expect(await listed(filter())).toEqual(expected);
  });

  it('are listed page by page, each before the last id of the one before', async () => {
    const [newest] = await store.repository(Audit).list({}, 1);
    expect(await listed({ before: newest?.id })).toEqual([2, 1]);
  });

  it('name each person once, in alphabetical order', async () => {
    expect(await store.repository(Audit).people()).toEqual(['anna', 'ben']);
  });

  it('are removed from before a moment', async () => {
    await store.write((transaction) => transaction.repository(Audit).removeBefore(start + 2));
    expect(await listed({})).toEqual([3, 2]);
  });
});
