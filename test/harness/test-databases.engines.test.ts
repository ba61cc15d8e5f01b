import { sql } from 'kysely';

import { openEngine } from '../../src/store/open-engine';
import { ENGINES, useDatabase } from './test-databases';

describe.each(ENGINES)('a test database on %s', (engine) => {
  const database = useDatabase(engine, { holds: 'sample school' });

  async function run(statement: string): Promise<unknown> {
    const opened = openEngine({ url: database.url });
    try {
      return (await opened.write(({ kysely }) => sql.raw(statement).execute(kysely))).rows;
    } finally {
      await opened.close();
    }
  }
  const schools = (): Promise<unknown> => run('select name from schools');
  let first: unknown;

  it.each([
    'delete from exam_entries',
    `insert into schools (id, base_url, name) values (7, 'http://b.example', 'B')`,
    'alter table schools add column more text',
    'drop table blocked_areas',
    `update schools set name = 'other'`,
  ])('does not keep changes of an earlier test: %s', async (statement) => {
    first ??= await schools();
    expect(await schools()).toEqual(first);
    expect(first).toHaveLength(3);
    await run(statement);
  });

  it('has every table and row again afterwards', async () => {
    expect(await run('select count(*) as held from blocked_areas')).toEqual([
      { held: expect.anything() as unknown },
    ]);
    expect(await run('select * from exam_entries')).not.toEqual([]);
    expect(await schools()).toEqual(first);
  });
});
