import { sql } from 'kysely';

import { openEngine } from '../../src/store/open-engine';
import { MIGRATIONS } from '../../src/store/migrations/migrate';

/** The step that `becomeNextVersion` adds. */
export const NEXT_STEP = '9998_next';

/**
 * Makes the program in this process the next version of itself until the test ends: its schema has one step more, the
 * table `next_step`. Databases made before are those of an earlier version then.
 */
export function becomeNextVersion(): void {
  Object.assign(MIGRATIONS, {
    [NEXT_STEP]: () => ({ up: (db) => db.schema.createTable('next_step').addColumn('a', 'text').execute() }),
  } satisfies typeof MIGRATIONS);
}

afterEach(() => {
  Reflect.deleteProperty(MIGRATIONS, NEXT_STEP);
});

/** Marks a database as one that a later version of the program has changed, by the step `9999_later`. */
export async function markAsLater(url: string): Promise<void> {
  const engine = openEngine({ url });
  await engine.session(({ kysely }) =>
    sql`insert into kysely_migration (name, timestamp) values ('9999_later', '')`.execute(kysely),
  );
  await engine.close();
}
