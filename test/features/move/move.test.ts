import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { moveDatabase, undoMoveOf } from '../../../src/features/move/move';
import { openStore } from '../../../src/store';
import { DatabaseSync } from '../../../src/store/sqlite/library';
import { letGoOfClosed } from '../../harness/closed-connections';
import { useDatabase } from '../../harness/test-databases';

/** More than are read at once. */
const MESSAGES = 1001;

describe('a move between SQLite files', () => {
  const source = useDatabase('sqlite');
  const target = useDatabase('sqlite');
  const fileOf = (url: string): string => url.replace('sqlite:', '');
  const change = (url: string, statements: string): void => {
    const connection = new DatabaseSync(fileOf(url));
    connection.exec(statements);
    connection.exec('pragma wal_checkpoint(TRUNCATE)');
    connection.close();
  };
  const move = async (onRows: Parameters<typeof moveDatabase>[2] = () => undefined) => {
    await letGoOfClosed(source.folder, target.folder);
    return moveDatabase(source.url, target.url, onRows);
  };
  const expectUnmoved = async (): Promise<void> => {
    await letGoOfClosed(source.folder, target.folder);
    await (await openStore({ url: source.url, mustExist: true })).close();
  };

  it('reports its progress in rows copied and compared, page by page', async () => {
    change(
      source.url,
      `insert into messages (id, channel, state, recipient, school, payload, attempts, next_attempt_at, expires_at, created_at, updated_at)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${String(MESSAGES)})
        select n, 'mark', 'sent', '1A', '', '{}', 1, 1, 1, 1, 1 from numbers`,
    );
    const steps: (readonly [table: string, done: number, of: number])[] = [];
    const tables = await move((...step) => steps.push(step));
    expect(tables).toContainEqual(expect.objectContaining({ table: 'messages', rows: MESSAGES }));
    const messages = steps.filter(([table]) => table === 'messages').map(([, done]) => done);
    const before = (messages[0] ?? 0) - 500;
    expect(messages.map((done) => done - before)).toEqual([500, 1000, 1001, 1501, 2001, 2002]);
    // Each step has rows, and the last is the end.
    expect(new Set(steps.map(([, done]) => done)).size).toBe(steps.length);
    const [, done, all] = steps.at(-1) ?? [];
    expect(done).toBe(all);
  });

  it('has a checksum that does not depend on the order in which rows were written', async () => {
    const rows = ["('b', '2', 1)", "('a', '10', 2)", "('a', '9', 3)"];
    const checksum = async (order: readonly string[]): Promise<string | undefined> => {
      change(source.url, `delete from erasures; insert into erasures values ${order.join()}`);
      change(target.url, 'delete from erasures');
      const tables = await move();
      await letGoOfClosed(source.folder, target.folder);
      await undoMoveOf(source.url);
      return tables.find(({ table }) => table === 'erasures')?.checksum;
    };
    const first = await checksum(rows);
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(await checksum(rows.toReversed())).toBe(first);
    expect(await checksum(rows.slice(1))).not.toBe(first);
  });

  it.each([
    ['changes', "update schools set name = 'other' where id = new.id"],
    ['loses', 'delete from schools where id = new.id'],
  ])('moves nothing if the target %s a row', async (_, statement) => {
    change(source.url, "insert into schools (id, base_url, name) values (1, 'https://a.example', 'A')");
    change(target.url, `create trigger t after insert on schools begin ${statement}; end`);
    await expect(move()).rejects.toMatchObject({
      name: 'KeepingError',
      message: 'Nothing was moved: the table schools differs between the two databases.',
    });
    await expectUnmoved();
  });

  it('retires the source only once the target is stored', async () => {
    change(source.url, "insert into schools (id, base_url, name) values (1, 'https://a.example', 'A')");
    // Rows that can be written and read, but not committed.
    change(
      target.url,
      `create table parents (id integer primary key);
       create table children (parent integer references parents (id) deferrable initially deferred);
       create trigger t after insert on schools begin insert into children values (1); end`,
    );
    await expect(move()).rejects.toThrow('A database constraint rejected a row.');
    await expectUnmoved();
  });

  it('names the source when it is damaged', async () => {
    const file = fileOf(source.url);
    change(source.url, "insert into schools (id, base_url, name) values (1, 'https://a.example', 'A')");
    const connection = new DatabaseSync(file);
    const row: unknown = connection
      .prepare(
        "select rootpage, (select page_size from pragma_page_size) as size from sqlite_schema where name = 'notes'",
      )
      .get();
    connection.close();
    const [page = 0, size = 0] = Object.values(row ?? {}).map(Number);
    await letGoOfClosed(source.folder, target.folder);
    writeFileSync(file, readFileSync(file).fill(0x5a, (page - 1) * size, page * size));
    await expect(move()).rejects.toMatchObject({
      name: 'KeepingError',
      message: 'Cannot read the database of DATABASE_URL. The database file is damaged.',
      cause: { trouble: 'corrupt' },
    });
  });

  it('leaves each database as it was if the report of its progress fails', async () => {
    change(source.url, "insert into schools (id, base_url, name) values (1, 'https://a.example', 'A')");
    const stop = (): void => {
      throw new Error('on purpose');
    };
    await expect(move(stop)).rejects.toThrow('on purpose');
    await expectUnmoved();
    expect((await move()).find(({ table }) => table === 'schools')?.rows).toBe(1);
  });

  it('needs a source that exists, and is not the target', async () => {
    const none = `sqlite:${join(source.folder, 'none.db')}`;
    await expect(moveDatabase(none, target.url, () => undefined)).rejects.toMatchObject({
      trouble: 'no-schema',
    });
    expect(existsSync(fileOf(none))).toBe(false);
    await expect(moveDatabase(source.url, source.url, () => undefined)).rejects.toThrow(
      'This is already the database of DATABASE_URL.',
    );
  });
});
