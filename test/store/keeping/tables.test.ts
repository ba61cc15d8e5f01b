import { SCHOOL_TABLES } from '../../../src/store';
import { onSqlite } from '../../../src/store/sqlite/sqlite-session';
import { countRows, rowsIn, schemaTables } from '../../../src/store/keeping/tables';
import { useDatabase } from '../../harness/test-databases';

describe('the tables of the schema', () => {
  const database = useDatabase('sqlite', { holds: 'sample school' });

  it('include every table that operators know, each after the tables it refers to', async () => {
    const names = (await schemaTables()).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining([...SCHOOL_TABLES]));
    for (const [first, second] of [
      ['schools', 'classes'],
      ['schools', 'students'],
      ['exams', 'exam_entries'],
      ['note_types', 'notes'],
    ] as const)
      expect(names.indexOf(second)).toBeGreaterThan(names.indexOf(first));
  });

  it('have the columns and keys that a copy needs', async () => {
    const tables = await schemaTables();
    expect(tables.find(({ name }) => name === 'exam_entries')).toEqual({
      name: 'exam_entries',
      columns: [
        { name: 'exam_id', type: 'text' },
        { name: 'subject_name', type: 'text' },
        { name: 'exam_date', type: 'text' },
        { name: 'start_time', type: 'text' },
        { name: 'duration_minutes', type: 'integer' },
      ],
      key: ['exam_id', 'subject_name'],
    });
    expect(tables.find(({ name }) => name === 'erasures')?.key).toEqual([]);
  });

  it('are counted without those about the database itself', async () => {
    await onSqlite(database.url.replace('sqlite:', ''), async (session) => {
      const before = await rowsIn(session);
      expect(before).toBeGreaterThan(await countRows(session.kysely, 'students'));
      await session.kysely.insertInto('marks').values({ name: 'x', at: 1, detail: '' }).execute();
      expect(await rowsIn(session)).toBe(before);
    });
    await onSqlite(':memory:', async (session) => {
      expect(await rowsIn(session)).toBe(0);
    });
  });
});
