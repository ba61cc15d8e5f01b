import { setImmediate as nextTurn } from 'node:timers/promises';

import { type Kysely, sql } from 'kysely';

import { type Connection, type Engine, StoreError } from '../../../src/store/engine/engine';
import type { Database } from '../../../src/store/engine/schema';
import { hotRead, hotWrite } from '../../../src/store/engine/hot-statement';
import { PostgresConnection } from '../../../src/store/postgres/postgres-connection';
import { describeOnPostgres, useDatabase } from '../../harness/test-databases';

const DIVIDE = hotRead<{ readonly by: number }, readonly [result: number]>(
  'divide',
  (param) => sql`select 12 / ${param.integer(({ by }) => by)}`,
);
const UP_TO = hotRead<{ readonly most: number; readonly label: string }, readonly [label: string, n: number]>(
  'up_to',
  (param) => sql`select ${param(({ label }) => label)}::text, n
    from generate_series(1, ${param.integer(({ most }) => most)}::integer) as n order by n desc`,
);
const HOW_MANY = hotRead<undefined, readonly [number: number]>(
  'how_many',
  () => sql`select count(*) from values_kept`,
);
const RECENTLY = hotRead<undefined, readonly [number: number]>(
  'recently',
  () => sql`select count(*) from values_kept`,
  { reusedMs: 1000 },
);
const KEEP = hotWrite<{ readonly value: number; readonly text: string | null }, readonly []>(
  'keep',
  (param, calls) =>
    sql`insert into values_kept (value, text) ${calls.rows([
      param.integer(({ value }) => value),
      param(({ text }) => text),
    ])}`,
  { gathers: true },
);
const CHANGE = hotWrite<{ readonly value: number; readonly text: string }, readonly [value: number]>(
  'change',
  (param, calls) => sql`update values_kept set text = ${param(({ text }) => text)} ${calls.from}
    where value = ${param.integer(({ value }) => value)} returning value ${calls.at}`,
  { gathers: true },
);

describeOnPostgres('on PostgreSQL', () => {
  const database = useDatabase('postgres');
  let engine: Engine;
  let statements: jest.SpyInstance;
  beforeEach(async () => {
    engine = database.engine({ poolSize: 4 });
    await engine.session(({ kysely }) =>
      sql`create table values_kept (value bigint primary key, text text)`.execute(kysely),
    );
    statements = jest.spyOn(PostgresConnection.prototype, 'rowsOfAll');
  });
  afterEach(() => {
    statements.mockRestore();
  });
  /** How many calls each statement took. */
  const gathered = (): readonly number[] =>
    (statements.mock.calls as [unknown, readonly unknown[]][]).map(([, calls]) => calls.length);
  const kept = async (): Promise<readonly string[]> => {
    const { rows } = await sql<{ value: number; text: string | null }>`
      select value, text from values_kept order by value`.execute(engine.direct.kysely);
    return rows.map(({ value, text }) => `${String(value)} ${String(text)}`);
  };

  describe.each(['40001', '40P01'])('a transaction that PostgreSQL rolls back with %s', (code) => {
    const keep = (connection: Connection): Promise<unknown> =>
      connection.rows(KEEP, { value: 1, text: null });
    const ways: Readonly<Record<string, () => Promise<unknown>>> = {
      statement: () => keep(engine.direct),
      'short write': () => engine.writeShort(keep),
      write: () => engine.write(keep),
    };

    async function undo(times: number): Promise<void> {
      const setUp = [
        'create sequence undone',
        `create function undo() returns trigger language plpgsql as $$ begin
          if nextval('undone') <= ${String(times)} then raise exception using errcode = '${code}'; end if;
          return new; end $$`,
        'create trigger undo before insert on values_kept for each row execute function undo()',
      ];
      await engine.session(async ({ kysely }) => {
        for (const each of setUp) await sql.raw(each).execute(kysely);
      });
    }
    const attempts = async (): Promise<unknown> => {
      const { rows } = await sql<{ last: number }>`select last_value as last from undone`.execute(
        engine.direct.kysely,
      );
      return rows[0]?.last;
    };

    it.each(['statement', 'short write'])('is repeated if it is a %s', async (way) => {
      await undo(2);
      await ways[way]?.();
      expect(await kept()).toEqual(['1 null']);
    });

    it('is repeated as a whole if several short writes share it', async () => {
      await undo(1);
      const ids = await Promise.all(
        [1, 2].map((value) =>
          engine.writeShort(async (connection) => {
            await connection.rows(KEEP, { value, text: null });
            const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(
              connection.kysely,
            );
            return rows[0]?.id;
          }),
        ),
      );
      expect(new Set(ids).size).toBe(1);
      expect(await kept()).toEqual(['1 null', '2 null']);
    });

    it.each([
      ['statement', 3],
      ['short write', 3],
      ['write', 1],
    ])('fails clearly if it is a %s that is rolled back %i times', async (way, times) => {
      await undo(times);
      await expect(ways[way]?.()).rejects.toMatchObject({
        trouble: 'failed',
        message: expect.stringMatching(/^PostgreSQL rolled back a transaction /) as string,
      });
      expect(await attempts()).toBe(times);
      expect(await kept()).toEqual([]);
    });
  });

  describe('the calls of one turn', () => {
    it('become one statement, and each gets its own rows, in order', async () => {
      const { direct } = engine;
      const answers = await Promise.all([
        direct.rows(UP_TO, { most: 3, label: 'a' }),
        direct.rows(UP_TO, { most: 0, label: 'b' }),
        direct.rows(DIVIDE, { by: 4 }),
        direct.rows(UP_TO, { most: 2, label: `{"b,'\\` }),
      ]);
      const summaries = answers.map((rows) => rows.map((row) => row.slice(0, 2)));
      expect(summaries).toEqual([
        [
          ['a', 3],
          ['a', 2],
          ['a', 1],
        ],
        [],
        [[3]],
        [
          [`{"b,'\\`, 2],
          [`{"b,'\\`, 1],
        ],
      ]);
      expect(gathered()).toEqual([3, 1]);
    });

    it('run once if they are all the same', async () => {
      await engine.direct.rows(KEEP, { value: 1, text: null });
      statements.mockClear();
      const answers = await Promise.all([1, 2, 3].map(() => engine.direct.rows(HOW_MANY, undefined)));
      expect(answers).toEqual([[[1]], [[1]], [[1]]]);
      expect(gathered()).toEqual([3]);
    });

    it('get an answer again that may be reused, but only for as long, and not in a transaction', async () => {
      const now = jest.spyOn(performance, 'now').mockReturnValue(5000);
      const countAt = (ms: number, connection = engine.direct) => {
        now.mockReturnValue(ms);
        return connection.rows(RECENTLY, undefined);
      };
      try {
        // The time counts from the call, not from the answer.
        const first = countAt(5000);
        await nextTurn();
        now.mockReturnValue(5400);
        expect(await first).toEqual([[0]]);
        await engine.direct.rows(KEEP, { value: 1, text: null });
        expect(await countAt(5999)).toEqual([[0]]);
        expect(await engine.writeShort((connection) => countAt(5999, connection))).toEqual([[1]]);
        expect(await countAt(5999)).toEqual([[0]]);
        expect(await countAt(6000)).toEqual([[1]]);
      } finally {
        now.mockRestore();
      }
    });

    it('are split into statements of at most 256 calls', async () => {
      const calls = Array.from({ length: 600 }, (_, at) => ({ most: 1, label: String(at) }));
      const answers = await Promise.all(calls.map((call) => engine.direct.rows(UP_TO, call)));
      expect(answers.map(([row]) => row?.[0])).toEqual(calls.map(({ label }) => label));
      expect(gathered()).toEqual([256, 256, 88]);
    });

    it('wait and are gathered while two of the same write are under way', async () => {
      const { direct } = database.engine({ poolSize: 8 });
      const values = [1, 2, 3, 4, 5];
      for (const value of values) await direct.rows(KEEP, { value, text: 'old' });
      statements.mockClear();
      const change = (value: number) => direct.rows(CHANGE, { value, text: 'new' });
      const changes: Promise<unknown>[] = [];
      await engine.write(async ({ kysely }) => {
        await sql`select 1 from values_kept where value in (1, 2) for update`.execute(kysely);
        for (const value of values) {
          changes.push(change(value));
          await nextTurn();
        }
        expect(gathered()).toEqual([1, 1]);
        // What is on its way is for this statement alone.
        expect(await direct.rows(DIVIDE, { by: 3 })).toEqual([[4]]);
      });
      await Promise.all(changes);
      expect(gathered()).toEqual([1, 1, 1, 3]);
      expect(await kept()).toEqual(values.map((value) => `${String(value)} new`));
    });

    it.each([
      ['statement', 'timeout'],
      ['short write', 'locked'],
    ])('fail with a %s before them that waits for too long', async (way, trouble) => {
      const late = database.engine({ statementTimeoutMs: 400 });
      const keep = jest.fn((connection: Connection, value: number) =>
        connection.rows(KEEP, { value, text: null }),
      );
      const start = (value: number): Promise<unknown> =>
        way === 'statement'
          ? keep(late.direct, value)
          : late.writeShort((connection) => keep(connection, value));
      const calls: Promise<unknown>[] = [];
      await engine.write(async ({ kysely }) => {
        await sql`lock table values_kept`.execute(kysely);
        for (const values of [[1], [2], [3, 4]]) {
          calls.push(...values.map(start));
          await nextTurn();
        }
        const failed = { status: 'rejected', reason: { trouble } };
        expect(await Promise.allSettled(calls)).toMatchObject(calls.map(() => failed));
      });
      // Two statements may run at once, but only one short write.
      if (way === 'statement') expect(gathered()).toEqual([1, 1]);
      else expect(keep).toHaveBeenCalledTimes(1);
      expect(await kept()).toEqual([]);
    });

    it('fail without another try if the one tried alone before them times out', async () => {
      const late = database.engine({ statementTimeoutMs: 300 });
      const tooLong = sql`select pg_sleep(60)`;
      let isFirst = true;
      const one = async (connection: Connection): Promise<unknown> => {
        await connection.rows(KEEP, { value: 1, text: null });
        if (!isFirst) return tooLong.execute(connection.kysely);
        isFirst = false;
        throw new Error('This undoes both.');
      };
      const other = jest.fn((connection: Connection) => connection.rows(DIVIDE, { by: 3 }));
      const timeout = { reason: { trouble: 'timeout' } };
      expect(await Promise.allSettled([late.writeShort(one), late.writeShort(other)])).toMatchObject([
        timeout,
        timeout,
      ]);
      expect(other).toHaveBeenCalledTimes(1);
    });

    it('fail individually if one of them is bad', async () => {
      const { direct } = engine;
      await direct.rows(KEEP, { value: 2, text: 'first' });
      const answers = await Promise.allSettled([
        direct.rows(DIVIDE, { by: 0 }),
        direct.rows(DIVIDE, { by: 6 }),
        direct.rows(KEEP, { value: 1, text: 'one' }),
        direct.rows(KEEP, { value: 2, text: 'two' }),
        direct.rows(KEEP, { value: 3, text: null }),
      ]);
      expect(answers).toMatchObject([
        { reason: { name: 'StoreError', trouble: 'failed' } },
        { value: [[2]] },
        { value: [] },
        { reason: { name: 'StoreError', trouble: 'conflict' } },
        { value: [] },
      ]);
      expect(await kept()).toEqual(['1 one', '2 first', '3 null']);
    });

    it('report for each change whether it was made', async () => {
      const { direct } = engine;
      for (const value of [1, 3]) await direct.rows(KEEP, { value, text: 'old' });
      const answers = await Promise.all(
        [3, 2, 1].map((value) => direct.rows(CHANGE, { value, text: `new ${String(value)}` })),
      );
      expect(answers.map((rows) => rows.map(([value]) => value))).toEqual([[3], [], [1]]);
      expect(await kept()).toEqual(['1 new 1', '3 new 3']);
    });

    it('are not repeated if the server is gone', async () => {
      statements.mockRejectedValueOnce(new StoreError('unavailable', 'gone'));
      const answers = await Promise.allSettled(
        [1, 2].map((value) => engine.direct.rows(KEEP, { value, text: 'x' })),
      );
      expect(answers).toMatchObject([
        { reason: { trouble: 'unavailable' } },
        { reason: { trouble: 'unavailable' } },
      ]);
      expect([gathered(), await kept()]).toEqual([[2], []]);
    });
  });

  describe('short writes of one turn', () => {
    const transactionOf = async (kysely: Kysely<Database>): Promise<string> => {
      const { rows } = await sql<{ id: string }>`select pg_current_xact_id()::text as id`.execute(kysely);
      return rows[0]?.id ?? '';
    };
    const keep = (value: number, then?: (connection: Connection) => Promise<unknown>) =>
      engine.writeShort(async (connection) => {
        await connection.rows(KEEP, { value, text: 'x' });
        await then?.(connection);
        return value;
      });

    it('share a transaction', async () => {
      const ids = await Promise.all(
        [1, 2, 3].map(() => engine.writeShort(({ kysely }) => transactionOf(kysely))),
      );
      expect(new Set(ids).size).toBe(1);
      const another = await engine.writeShort(({ kysely }) => transactionOf(kysely));
      expect(ids).not.toContain(another);
    });

    it('wait and are gathered while another transaction is under way', async () => {
      const turn = () => engine.writeShort(({ kysely }) => transactionOf(kysely));
      const ids: Promise<string>[] = [];
      const first = engine.writeShort(async ({ kysely }) => {
        const id = await transactionOf(kysely);
        for (let at = 0; at < 3; at += 1) {
          ids.push(turn());
          await nextTurn();
        }
        return id;
      });
      const before = await first;
      const after = await Promise.all(ids);
      expect([after.includes(before), new Set(after).size]).toEqual([false, 1]);
    });

    it('use indexes, however small the server believes a table to be', async () => {
      await engine.session(async ({ kysely }) => {
        await sql`insert into values_kept values (1, 'x')`.execute(kysely);
        await sql`analyze values_kept`.execute(kysely);
      });
      const planIn = (write: 'write' | 'writeShort') =>
        engine[write](async ({ kysely }) => {
          const { rows } = await sql<{
            'QUERY PLAN': string;
          }>`explain select text from values_kept where value = 1`.execute(kysely);
          return rows[0]?.['QUERY PLAN'] ?? '';
        });
      expect(await planIn('write')).toContain('Seq Scan');
      for (const plan of await Promise.all([planIn('writeShort'), planIn('writeShort')]))
        expect(plan).toContain('Index Scan');
      expect(await planIn('writeShort')).toContain('Index Scan');
      expect(await planIn('write')).toContain('Seq Scan');
    });

    it('are undone individually if they throw', async () => {
      const mistake = new Error('on purpose');
      const answers = await Promise.allSettled([
        keep(1),
        keep(2, () => Promise.reject(mistake)),
        keep(3),
        engine.writeShort(() => Promise.reject(mistake)),
      ]);
      expect(answers).toEqual([
        { status: 'fulfilled', value: 1 },
        { status: 'rejected', reason: mistake },
        { status: 'fulfilled', value: 3 },
        { status: 'rejected', reason: mistake },
      ]);
      expect(await kept()).toEqual(['1 x', '3 x']);
    });

    it('are not run again because of one that throws before it has written anything', async () => {
      let runs = 0;
      const mistake = new Error('on purpose');
      const answers = await Promise.allSettled([
        keep(1, () => Promise.resolve((runs += 1))),
        engine.writeShort(async (connection) => {
          await connection.lock(['a']);
          await connection.rows(DIVIDE, { by: 1 });
          throw mistake;
        }),
      ]);
      expect(answers).toEqual([
        { status: 'fulfilled', value: 1 },
        { status: 'rejected', reason: mistake },
      ]);
      expect([runs, await kept()]).toEqual([1, ['1 x']]);
    });

    it('fail individually if one of their statements fails, even if they hide the failure', async () => {
      const bad = (connection: Connection) => connection.rows(DIVIDE, { by: 0 });
      const answers = await Promise.allSettled([
        keep(1),
        keep(2, bad),
        keep(3, (connection) => bad(connection).catch(() => undefined)),
        keep(1),
        keep(4),
      ]);
      expect(answers).toMatchObject([
        { value: 1 },
        { reason: { trouble: 'failed' } },
        { reason: { trouble: 'failed' } },
        { reason: { trouble: 'conflict' } },
        { value: 4 },
      ]);
      expect(await kept()).toEqual(['1 x', '4 x']);
    });

    it('run in order if they take the same lock, and see the changes of those before', async () => {
      const count = (locks: readonly string[]) =>
        engine.writeShort(async (connection) => {
          await connection.lock(locks);
          const [[before] = [-1]] = await connection.rows(HOW_MANY, undefined);
          await connection.rows(KEEP, { value: before, text: locks.join() });
          return before;
        });
      const locks = [['a'], ['b', 'a'], ['b'], ['a', 'b'], ['a']];
      expect(await Promise.all(locks.map(count))).toEqual([0, 1, 2, 3, 4]);
    });

    it('exclude other nodes that take the same locks, in any order', async () => {
      const other = database.engine({ poolSize: 4 });
      const names = ['a', 'b', 'c'];
      let inside = 0;
      const visits = Array.from({ length: 60 }, (_, at) =>
        (at % 2 === 0 ? engine : other).writeShort(async (connection) => {
          const wanted = [names[at % 3], names[(at + 1 + (at % 2)) % 3]].filter((name) => name !== undefined);
          await connection.lock([...wanted, 'all']);
          inside += 1;
          expect(inside).toBe(1);
          await connection.rows(DIVIDE, { by: 1 });
          inside -= 1;
        }),
      );
      await Promise.all(visits);
    });

    it('fail together if the server is gone, but the next ones succeed', async () => {
      const victims = await Promise.allSettled([
        keep(1, ({ kysely }) => sql`select pg_terminate_backend(pg_backend_pid())`.execute(kysely)),
        keep(2),
      ]);
      expect(victims).toMatchObject([
        { reason: { trouble: 'unavailable' } },
        { reason: { trouble: 'unavailable' } },
      ]);
      expect(await keep(3)).toBe(3);
      expect(await kept()).toEqual(['3 x']);
    });
  });
});
