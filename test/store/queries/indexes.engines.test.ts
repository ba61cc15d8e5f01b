import { sql } from 'kysely';

import { readRepositoryFile } from '../../harness/repository-files';
import { ENGINES, type EngineName, useDatabase } from '../../harness/test-databases';

const NAMES: Readonly<Record<EngineName, string>> = {
  sqlite: `select name from sqlite_schema where type = 'index' and sql is not null`,
  postgres: `select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = 'public'::regnamespace and not indisunique`,
};

describe.each(ENGINES)('the indexes on %s', (name) => {
  const database = useDatabase(name);

  it('are each listed with a query that needs them in docs/internals/architecture.md', async () => {
    const [, section = ''] = readRepositoryFile('docs/internals/architecture.md').split(
      '## What each index is for',
    );
    const documented = [...(section.split('\n## ')[0] ?? '').matchAll(/^- `(\w+)`/gm)].map(
      ([, index]) => index,
    );
    await database.open();
    const { rows } = await sql<{ name: string }>`${sql.raw(NAMES[name])}`.execute(
      database.engine().direct.kysely,
    );
    expect(rows.map((row) => row.name).toSorted()).toEqual(documented.toSorted());
  });
});
