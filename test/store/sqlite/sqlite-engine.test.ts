import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { sql } from 'kysely';

import type { Connection, Engine } from '../../../src/store/engine/engine';
import { openEngine } from '../../../src/store/open-engine';
import { useDatabase } from '../../harness/test-databases';

const GONE = {
  trouble: 'unavailable',
  message: 'The database file was deleted or replaced. Restart the service.',
};
const SCHOOLS = sql<{ readonly name: string }>`select name from schools`;

async function addSchool({ kysely }: Pick<Connection, 'kysely'>, name: string): Promise<void> {
  await sql`insert into schools (base_url, name) values (${name}, ${name})`.execute(kysely);
}

async function names({ kysely }: Pick<Connection, 'kysely'>): Promise<readonly string[]> {
  return (await SCHOOLS.execute(kysely)).rows.map(({ name }) => name);
}

describe('the engine SQLite', () => {
  const database = useDatabase('sqlite');
  const path = (ending = ''): string => join(database.folder, `service.db${ending}`);

  it.each<[string, () => void]>([
    [
      'deleted',
      () => {
        rmSync(path());
      },
    ],
    [
      'replaced',
      () => {
        renameSync(path(), path('.old'));
        writeFileSync(path(), '');
      },
    ],
  ])('refuses to acknowledge writes to a file that was %s', async (_, lose) => {
    const engine = database.engine();
    await engine.ping();
    lose();
    await expect(engine.write((connection) => addSchool(connection, 'a'))).rejects.toMatchObject(GONE);
    await expect(engine.ping()).rejects.toMatchObject(GONE);
    await expect(engine.session(() => Promise.resolve())).rejects.toMatchObject(GONE);
  });

  it('never shows a reader what is not committed', async () => {
    const engine = database.engine();
    await engine.write(async (connection) => {
      await addSchool(connection, 'a');
      expect(await names(engine.direct)).toEqual([]);
    });
    expect(await names(engine.direct)).toEqual(['a']);
  });

  it('lends sessions a connection of their own, with its own temporary tables', async () => {
    const engine = database.engine();
    const makeTable = () =>
      engine.session(({ kysely }) => sql`create temp table own (a)`.execute(kysely).then(() => undefined));
    await makeTable();
    await expect(makeTable()).resolves.toBeUndefined();
  });

  it('announces nothing, and can be listened to nevertheless', async () => {
    const engine = database.engine();
    engine.announce('topic');
    await expect(engine.listen(() => undefined)()).resolves.toBeUndefined();
  });

  describe('in memory', () => {
    let engine: Engine;
    beforeEach(() => {
      engine = openEngine({ url: 'sqlite::memory:' });
    });
    afterEach(() => engine.close());

    it('has one database for sessions, writes and reads', async () => {
      await engine.session(({ kysely }) =>
        sql`create table schools (base_url text, name text)`.execute(kysely),
      );
      await engine.write((connection) => addSchool(connection, 'a'));
      expect(await names(engine.direct)).toEqual(['a']);
      expect(existsSync(':memory:')).toBe(false);
    });

    it('drops the temporary tables of a session', async () => {
      const makeTable = () => engine.session(({ kysely }) => sql`create temp table own (a)`.execute(kysely));
      await makeTable();
      await expect(makeTable()).resolves.toBeDefined();
    });
  });
});
