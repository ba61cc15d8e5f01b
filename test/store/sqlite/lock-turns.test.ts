import { join } from 'node:path';
import timers from 'node:timers/promises';

import { sql } from 'kysely';

import { GroupCommit } from '../../../src/store/sqlite/group-commit';
import { openDatabase } from '../../../src/store/sqlite/open-database';
import { SqliteConnection } from '../../../src/store/sqlite/sqlite-connection';
import { useFolderPerTest } from '../../harness/use-folder';

/** A clock that stands still until everybody waits for it. */
const clock = {
  now: 0,
  waiting: [] as { readonly at: number; readonly wake: () => void }[],
  delay: (milliseconds: number): Promise<void> =>
    new Promise((wake) => clock.waiting.push({ at: clock.now + milliseconds, wake })),
};

/** So many turns of the event loop a write takes at most before it waits for the clock, and more. */
const MAX_TURNS = 10;

/** Lets the clock go on, from one that waits to the next, until the work is done. */
async function pass<T>(work: Promise<T>): Promise<T> {
  const state = { done: false };
  const end = (): void => {
    state.done = true;
  };
  work.then(end, end);
  for (;;) {
    for (let turn = 0; turn < MAX_TURNS; turn += 1) await new Promise(setImmediate);
    if (state.done) return work;
    const at = Math.min(...clock.waiting.map((each) => each.at));
    const next = clock.waiting.findIndex((each) => each.at === at);
    const [due] = clock.waiting.splice(next, 1);
    if (due === undefined) throw new Error('Nobody waits for the clock, and the work is not done');
    clock.now = due.at;
    due.wake();
  }
}

describe('two processes that constantly write to one SQLite file', () => {
  const folder = useFolderPerTest();
  beforeEach(() => {
    jest.spyOn(performance, 'now').mockImplementation(() => clock.now);
    jest.spyOn(timers, 'setTimeout').mockImplementation((milliseconds = 0) => clock.delay(milliseconds));
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('take turns', async () => {
    const databases = ['a', 'b'].map(() => openDatabase(join(folder(), 'service.db')));
    databases[0]?.exec('create table rows (value text)');
    let order = '';
    const writeMany = async (writer: GroupCommit, name: string): Promise<void> => {
      for (let count = 0; count < 40; count += 1) {
        await writer.write(async ({ kysely }) => {
          await sql`insert into rows values (${name})`.execute(kysely);
          await clock.delay(5);
          order += name;
        });
      }
    };
    const [a, b] = databases.map((each) => new GroupCommit(each, new SqliteConnection(each), 1000));
    if (a === undefined || b === undefined) throw new Error('There are two databases');
    await pass(Promise.all([writeMany(a, 'a'), writeMany(b, 'b')]));
    for (const each of databases) each.close();
    expect(order).toBe('ab'.repeat(40));
  });
});
