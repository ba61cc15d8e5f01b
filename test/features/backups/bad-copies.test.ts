import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { backUpDatabase } from '../../../src/features/backups/back-up';
import { restoreDatabase } from '../../../src/features/backups/restore';
import { DatabaseSync } from '../../../src/store/sqlite/library';
import { letGoOfClosed } from '../../harness/closed-connections';
import { useDatabase } from '../../harness/test-databases';
import { databaseFiles } from './database-files';

describe('checking a copy of a database', () => {
  const database = useDatabase('sqlite', { holds: 'sample school' });
  /** Called once SQLite has copied all pages, before the copy is verified. */
  let onCopied: () => void;
  beforeEach(() => {
    onCopied = () => undefined;
  });

  const place = (name: string): string => join(database.folder, name);
  const options = (name: string) => ({
    file: place(name),
    replace: true,
    onPages: (done: number, of: number) => {
      if (done === of) onCopied();
    },
  });
  const backUp = (name: string) => backUpDatabase(database.url, options(name));
  const restore = async (name: string) => {
    await letGoOfClosed(database.folder);
    return restoreDatabase(database.url, options(name));
  };
  /** Runs statements behind the back of the program, which lets no such thing happen. */
  const change = (file: string, statements: string): void => {
    const connection = new DatabaseSync(place(file));
    connection.exec('pragma foreign_keys = OFF');
    connection.exec(statements);
    connection.exec('pragma wal_checkpoint(TRUNCATE)');
    connection.close();
  };
  const files = () => databaseFiles(database.folder);

  const dangle =
    "delete from students where id = 'S-1'; delete from students where id in (select student_id from devices)";
  const REFUSAL = {
    name: 'KeepingError',
    message: expect.stringContaining('Cannot restore ') as string,
  };

  it('rejects a dangling reference in a backup', async () => {
    change('service.db', dangle);
    await expect(backUp('kept.db')).rejects.toThrow('A row of the table devices refers to a missing row.');
    expect(files()).toEqual(['service.db']);
  });

  it('rejects a dangling reference in a restore', async () => {
    await backUp('kept.db');
    change('kept.db', dangle);
    await expect(restore('kept.db')).rejects.toMatchObject(REFUSAL);
    expect(files()).toEqual(['kept.db', 'service.db']);
  });

  it('rejects a damaged index page in a backup', async () => {
    change('service.db', 'select 1');
    await letGoOfClosed(database.folder);
    damageIndex(place('service.db'), 'students_by_flag');
    await expect(backUp('kept.db')).rejects.toThrow(/The database is damaged: .*students_by_flag/);
    expect(files()).toEqual(['service.db']);
  });

  it('rejects a damaged index page in a restore', async () => {
    await backUp('kept.db');
    damageIndex(place('kept.db'), 'students_by_flag');
    await expect(restore('kept.db')).rejects.toMatchObject(REFUSAL);
    expect(files()).toEqual(['kept.db', 'service.db']);
  });

  it('rejects missing rows in a backup and in a restore', async () => {
    await backUp('kept.db');
    onCopied = () => {
      const copy = files().find((name) => name.endsWith('.partial')) ?? '';
      const connection = new DatabaseSync(place(copy));
      connection.exec('delete from devices where id = (select min(id) from devices)');
      connection.close();
    };
    const fewer = 'The row counts of the copy and the database differ.';
    await expect(backUp('other.db')).rejects.toThrow(fewer);
    await expect(restore('kept.db')).rejects.toThrow(fewer);
    expect(files()).toEqual(['kept.db', 'service.db']);
  });

  it('names the backup’s disk when it is full, and leaves nothing there', async () => {
    onCopied = () => {
      throw new Error('database or disk is full');
    };
    mkdirSync(place('elsewhere'));
    await expect(backUp('elsewhere/kept.db')).rejects.toMatchObject({
      name: 'KeepingError',
      message: `No backup was made, because the disk of ${place('elsewhere')} is full. Free space, or use another folder.`,
    });
    expect(readdirSync(place('elsewhere'))).toEqual([]);
  });

  it.each([
    [
      'a trigger',
      'create trigger t after update on messages begin delete from students; end',
      'the trigger "t"',
    ],
    [
      'a trigger on the nodes table',
      'create trigger t after delete on nodes begin delete from schools; end',
      'the trigger "t"',
    ],
    ['a view', 'create view v as select * from students', 'the view "v"'],
    ['a virtual table', 'create virtual table f using fts5(x)', 'the table "f"'],
    ['an extra table', 'create table extra (id integer primary key)', 'the table "extra"'],
    ['an extra index', 'create index extra on devices (token)', 'the index "extra"'],
    ['a missing table', 'drop table caller_days', 'lacks the table "caller_days"'],
    ['a missing index', 'drop index devices_by_student', 'lacks the index "devices_by_student"'],
    [
      'a changed index',
      'drop index devices_by_student; create index devices_by_student on devices (token)',
      'its index "devices_by_student" was changed',
    ],
    [
      'an extra column',
      "alter table devices add column note text default 'x'",
      'its table "devices" was changed',
    ],
  ])('rejects a schema that is not this program’s: %s', async (_, statements, difference) => {
    await backUp('kept.db');
    change('kept.db', statements);
    const refused = restore('kept.db');
    await expect(refused).rejects.toMatchObject({ name: 'KeepingError' });
    await expect(refused).rejects.toThrow(`its schema was changed; `);
    await expect(refused).rejects.toThrow(difference);
    expect(files()).toEqual(['kept.db', 'service.db']);
  });

  it('accepts a backup with SQLite’s statistics in it', async () => {
    await backUp('kept.db');
    change('kept.db', 'analyze');
    await restore('kept.db');
    expect(existsSync(place('kept.db'))).toBe(true);
    await expect((await database.open()).devices.tokenOf('DEV-1')).resolves.toBe('sample-token-01');
  });

  it('refuses a pipe instead of waiting for it', async () => {
    await expect(restoreDatabase(database.url, { ...options('none'), file: '/dev/null' })).rejects.toThrow(
      '/dev/null is not a regular file.',
    );
  });
});

/** Changes the last entry of an index, which is at the end of its page; the table stays as it is. */
function damageIndex(file: string, name: string): void {
  const connection = new DatabaseSync(file);
  const row: unknown = connection
    .prepare(
      'select rootpage, (select page_size from pragma_page_size) as size from sqlite_schema where name = ?',
    )
    .get(name);
  connection.close();
  const [page, size] = Object.values(row ?? {}).map(Number) as [number, number]; // The two that are selected.
  const bytes = readFileSync(file);
  const end = page * size;
  for (let at = end - 12; at < end - 2; at += 1) bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}
